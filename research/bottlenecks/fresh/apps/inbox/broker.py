import os

import redis

pool = redis.BlockingConnectionPool.from_url(
    os.environ["REDIS_URL"],
    max_connections=16 if os.environ.get("FIXED") else 2,
    timeout=30,
)
broker = redis.Redis(connection_pool=pool)
POLL_SECONDS = 0.03


def next_message(user):
    """The oldest message of the user, or None after a while."""
    found = broker.blpop([f"inbox:{user}"], timeout=POLL_SECONDS)
    return found and found[1].decode()
