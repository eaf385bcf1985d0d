"""Connections to Redis."""

from redis import Redis

_CONNECT_TIMEOUT_S = 2
_ANSWER_TIMEOUT_S = 5


def connect_redis(url: str) -> Redis:
    """A client with a pool of connections, opened as they are needed; for threads and forks."""
    return Redis.from_url(
        url,
        socket_connect_timeout=_CONNECT_TIMEOUT_S,
        socket_timeout=_ANSWER_TIMEOUT_S,
    )
