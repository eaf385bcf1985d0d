"""A registry's pull counters and feature flags, kept in Redis."""

import os

import redis
from flask import Flask, jsonify

URL = os.environ["REDIS_URL"]
KEEP = os.environ.get("FIXED") == "1"
REPOSITORIES = [f"library/image-{number}" for number in range(20)]
app = Flask(__name__)

with redis.Redis.from_url(URL) as setup:
    for number, name in enumerate(REPOSITORIES):
        setup.hset(f"repository:{name}", mapping={"stars": number, "visibility": "public"})


class Model:
    """Counts pulls; made for each request by the view."""

    shared = None

    def __init__(self):
        if KEEP:
            Model.shared = Model.shared or redis.Redis.from_url(URL, decode_responses=True)
            self.client = Model.shared
        else:
            self.client = redis.Redis.from_url(URL, decode_responses=True)  # CAUSE

    def count_pull(self, name):
        return self.client.incr(f"pulls:{name}")  # CAUSE

    def describe(self, name):
        return self.client.hgetall(f"repository:{name}")


@app.get("/repositories/<path:name>")
def show(name):
    model = Model()  # CAUSE
    pulls = model.count_pull(name)
    return jsonify(name=name, pulls=pulls, **model.describe(name))


@app.get("/repositories")
def list_repositories():
    model = Model()  # CAUSE
    return jsonify([{"name": name, **model.describe(name)} for name in REPOSITORIES[:3]])
