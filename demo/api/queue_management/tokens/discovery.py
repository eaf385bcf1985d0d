"""The identity provider's discovery document and key set, fetched once per process."""

import threading
import time

import httpx

from .errors import ProviderUnavailable

_TIMEOUT_S = 5
# an unknown key id asks for the keys again, but not more often than this
_REFRESH_INTERVAL_S = 30


class Discovery:
    """Fetches on first use and remembers; safe to share between threads."""

    def __init__(self, issuer: str):
        self._issuer = issuer
        self._lock = threading.Lock()
        self._document: dict | None = None
        self._keys: dict | None = None
        self._keys_fetched_at = 0.0

    def endpoint(self, name: str) -> str:
        """The URL that the discovery document gives under this name."""
        if self._document is None:
            with self._lock:
                if self._document is None:
                    url = f"{self._issuer}/.well-known/openid-configuration"
                    self._document = _fetch_json(url)
        return self._document[name]

    def key_set(self, key_id: str | None) -> dict:
        """The provider's JSON Web Key Set, fetched again when it lacks the key asked for."""
        url = self.endpoint("jwks_uri")
        if self._keys is not None and _has_key(self._keys, key_id):
            return self._keys
        with self._lock:
            age = time.monotonic() - self._keys_fetched_at
            if self._keys is None or (
                age > _REFRESH_INTERVAL_S and not _has_key(self._keys, key_id)
            ):
                self._keys = _fetch_json(url)
                self._keys_fetched_at = time.monotonic()
            return self._keys


def _has_key(key_set: dict, key_id: str | None) -> bool:
    return any(key.get("kid") == key_id for key in key_set["keys"])


def _fetch_json(url: str) -> dict:
    try:
        return httpx.get(url, timeout=_TIMEOUT_S).raise_for_status().json()
    except httpx.HTTPError as error:
        raise ProviderUnavailable(f"{url} could not be read: {error}") from error
