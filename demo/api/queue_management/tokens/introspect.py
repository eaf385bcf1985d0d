"""Asks the identity provider about each token (RFC 7662)."""

import httpx

from ..config import Config
from .discovery import Discovery
from .errors import InvalidToken, ProviderUnavailable

_TIMEOUT_S = 10


class IntrospectValidator:
    """One remote call per token: always up to date, and never cheap."""

    def __init__(self, config: Config, discovery: Discovery):
        self._discovery = discovery
        self._credentials = (config.OIDC_CLIENT_ID, config.OIDC_CLIENT_SECRET)

    def validate(self, token: str) -> dict:
        """Return the provider's answer for an active token."""
        claims = self._introspect(token)
        if not claims.get("active"):
            raise InvalidToken("token is not active")
        return claims

    def _introspect(self, token: str) -> dict:
        try:
            response = httpx.post(
                self._discovery.endpoint("introspection_endpoint"),
                data={"token": token, "token_type_hint": "access_token"},
                auth=self._credentials,
                timeout=_TIMEOUT_S,
            )
            return response.raise_for_status().json()
        except httpx.HTTPError as error:
            raise ProviderUnavailable(f"token introspection failed: {error}") from error
