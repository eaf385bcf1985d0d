"""Long-polls the notices of a user in a Redis stream."""
import os

import redis
from flask import Flask, jsonify

POLL_MS = 40
POOL_SIZE = 32 if os.environ.get("FIXED") else 2

app = Flask(__name__)
pool = redis.BlockingConnectionPool.from_url(
    os.environ["REDIS_URL"], max_connections=POOL_SIZE, timeout=60, decode_responses=True
)
store = redis.Redis(connection_pool=pool)


def stream_of(user: int) -> str:
    return f"notices:{user}"


def read_new_notices(user: int) -> list[dict[str, str]]:
    streams = store.xread({stream_of(user): "$"}, count=20, block=POLL_MS)
    return [fields for _, entries in streams or [] for _, fields in entries]


@app.get("/users/<int:user>/notices")
def poll(user: int):
    return jsonify(user=user, notices=read_new_notices(user))


@app.get("/users/<int:user>/notices/send/<text>")
def send(user: int, text: str):
    identifier = store.xadd(stream_of(user), {"text": text}, maxlen=100)
    return jsonify(id=identifier), 201


@app.errorhandler(redis.ConnectionError)
def no_redis(error: redis.ConnectionError):
    app.logger.error("redis: %s", error)
    return jsonify(error="try again later"), 503
