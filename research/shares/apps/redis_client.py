"""Commands to a Redis (SHARES_REDIS_PORT) beside a loop."""

import os

import redis

PARTS = ["ask_redis", "loop"]
client = redis.Redis(port=int(os.environ["SHARES_REDIS_PORT"]))


def ask_redis():
    for i in range(12):
        client.set(f"key {i}", "value")
        client.get(f"key {i}")


def loop():
    n = 0
    for i in range(20_000):
        n += i * i
    return n


def request():
    ask_redis()
    loop()
