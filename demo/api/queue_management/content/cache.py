"""Remembers where content is, so that the database need not be asked."""

from redis import Redis

# one hash for all entries, so that a new version of the repository can drop them at once
_KEY = "content:locations"
_LIFE_S = 600


class RedisCache:
    """One look-up in Redis instead of several queries; shared by all workers."""

    def __init__(self, client: Redis):
        self._client = client

    def get(self, path: str) -> str | None:
        """The location, or None where it is not known (any more)."""
        value = self._client.hget(_KEY, path)
        return value.decode() if value else None

    def put(self, path: str, location: str) -> None:
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.hset(_KEY, path, location)
            # counts from the first entry, not from the last: no entry lives for ever
            pipeline.expire(_KEY, _LIFE_S, nx=True)
            pipeline.execute()


class NoCache:
    """Knows nothing."""

    def get(self, path: str) -> None:
        return None

    def put(self, path: str, location: str) -> None:
        pass
