"""Three ways of telling whether an access token is valid; ``DEMO_AUTH`` picks one."""

from ..config import Config
from .cached import CachedKeyValidator
from .decode import DecodeValidator
from .discovery import Discovery
from .errors import InvalidToken, ProviderUnavailable
from .introspect import IntrospectValidator
from .no_provider import NoProvider

__all__ = ["InvalidToken", "ProviderUnavailable", "create_validator"]

_VALIDATORS = {
    "introspect": IntrospectValidator,
    "decode": DecodeValidator,
    "cached": CachedKeyValidator,
}


def create_validator(config: Config):
    """The validator for the configured mode; it has one method, ``validate(token) -> claims``."""
    if not config.OIDC_ISSUER:
        return NoProvider()
    return _VALIDATORS[config.AUTH_MODE](config, Discovery(config.OIDC_ISSUER))
