"""A cache of exchange rates that expire."""
import threading
import time
from collections import defaultdict
from collections.abc import Callable


class RateCache:
    """Loads a rate once for all who ask for it, and keeps it for `ttl_sec`."""

    def __init__(self, ttl_sec: float, *, lock_per_key: bool) -> None:
        self._ttl_sec = ttl_sec
        self._entries: dict[str, tuple[float, float]] = {}
        self._guard = threading.Lock()
        self._lock_per_key = lock_per_key
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def _lock_of(self, key: str) -> threading.Lock:
        if not self._lock_per_key:
            return self._guard
        with self._guard:
            return self._locks[key]

    def get(self, key: str, load: Callable[[str], float]) -> float:
        with self._lock_of(key):
            value, expires = self._entries.get(key, (0.0, 0.0))
            if time.monotonic() < expires:
                return value
            value = load(key)
            self._entries[key] = (value, time.monotonic() + self._ttl_sec)
            return value
