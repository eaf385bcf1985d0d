"""Verifies tokens locally with python-jose."""

from jose import JWTError, jwt

from ..config import Config
from .discovery import Discovery
from .errors import InvalidToken


class DecodeValidator:
    """Keeps the provider's key set and hands it to python-jose for each token."""

    def __init__(self, config: Config, discovery: Discovery):
        self._discovery = discovery
        self._issuer = config.OIDC_ISSUER
        self._audience = config.OIDC_AUDIENCE

    def validate(self, token: str) -> dict:
        """Return the claims of a token with a good signature, issuer, audience and expiry."""
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            return jwt.decode(
                token,
                self._discovery.key_set(key_id),
                algorithms=["RS256"],
                audience=self._audience,
                issuer=self._issuer,
                options={"require_exp": True, "require_iss": True, "require_aud": True},
            )
        except JWTError as error:
            raise InvalidToken(str(error)) from error
