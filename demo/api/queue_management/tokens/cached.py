"""Verifies tokens locally with PyJWT and keys that are built once."""

import jwt

from ..config import Config
from .discovery import Discovery
from .errors import InvalidToken


class CachedKeyValidator:
    """Builds a key when its id is first seen and keeps it."""

    def __init__(self, config: Config, discovery: Discovery):
        self._discovery = discovery
        self._issuer = config.OIDC_ISSUER
        self._audience = config.OIDC_AUDIENCE
        self._keys: dict[str, jwt.PyJWK] = {}

    def validate(self, token: str) -> dict:
        """Return the claims of a token with a good signature, issuer, audience and expiry."""
        try:
            return jwt.decode(
                token,
                self._key(jwt.get_unverified_header(token).get("kid")),
                algorithms=["RS256"],
                audience=self._audience,
                issuer=self._issuer,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.InvalidTokenError as error:
            raise InvalidToken(str(error)) from error

    def _key(self, key_id: str | None) -> jwt.PyJWK:
        key = self._keys.get(key_id)
        if key is None:
            key = self._build_key(key_id)
            self._keys[key_id] = key
        return key

    def _build_key(self, key_id: str | None) -> jwt.PyJWK:
        for jwk in self._discovery.key_set(key_id)["keys"]:
            if jwk.get("kid") == key_id:
                return jwt.PyJWK(jwk, algorithm="RS256")
        raise InvalidToken("token is signed with a key that the provider does not publish")
