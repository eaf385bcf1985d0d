"""A shop of apps: the list has the number of installations and the reviews of each."""

import json
import os

import redis
from fastapi import FastAPI

FIXED = os.environ.get("FIXED") == "1"
app = FastAPI()
store = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
APPS = [{"id": f"app-{n}", "name": f"App {n}", "category": "notes"} for n in range(30)]
store.mset({f"plugins:{entry['id']}:installs": n * 7 for n, entry in enumerate(APPS)})
store.mset({f"plugins:{entry['id']}:reviews": json.dumps({"u1": {"score": 4}, "u2": {"score": 5}}) for entry in APPS})


def installs_of(ids):
    keys = [f"plugins:{id}:installs" for id in ids]
    if FIXED:
        return store.mget(keys)
    return [store.get(key) for key in keys]  # CAUSE


def reviews_of(ids):
    keys = [f"plugins:{id}:reviews" for id in ids]
    if FIXED:
        return store.mget(keys)
    return [store.get(key) for key in keys]  # CAUSE


def average(reviews):
    scores = [review["score"] for review in json.loads(reviews or "{}").values()]
    return sum(scores) / len(scores) if scores else None


@app.get("/v1/apps")
def apps():
    ids = [entry["id"] for entry in APPS]
    return [
        entry | {"installs": int(installs or 0), "rating": average(reviews)}
        for entry, installs, reviews in zip(APPS, installs_of(ids), reviews_of(ids))
    ]


@app.get("/v1/categories")
def categories():
    return ["notes", "health", "work"]
