"""Stands in for a validator where no identity provider is configured."""

from .errors import ProviderUnavailable


class NoProvider:
    """Routes that want no token work without a provider; the others say what is missing."""

    def validate(self, token: str) -> dict:
        raise ProviderUnavailable("tokens can't be checked: OIDC_ISSUER is not set")
