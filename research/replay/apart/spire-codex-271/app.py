"""Serves cards and shared runs of a game, and metrics of the size of its responses."""

import contextlib
import os

from fastapi import FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST, Histogram, generate_latest

FIXED = os.environ.get("FIXED") == "1"
SIZES = [2**n for n in range(8, 20)]
SIZE = Histogram("codex_response_size_bytes", "Size of responses", ["method", "path"], buckets=SIZES)


@contextlib.asynccontextmanager
async def lifespan(_):
    # The service has been up for a while: many runs have been shared.
    for number in range(300):
        path = f"/api/runs/shared/{number * 7919:08x}"
        scope = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path}
        scope |= {"raw_path": path.encode(), "query_string": b"", "headers": [], "server": None, "client": None}
        await app(scope, no_body, drop)
    yield


api = FastAPI(lifespan=lifespan)


async def no_body():
    return {"type": "http.request", "body": b"", "more_body": False}


async def drop(_message):
    pass


def path_of(scope):
    if not FIXED:
        return scope["path"]  # CAUSE
    route = scope.get("route")
    return route.path if route else "other"


async def app(scope, receive, send):
    if scope["type"] != "http":
        return await api(scope, receive, send)
    size = 0

    async def counted(message):
        nonlocal size
        size += len(message.get("body", b""))
        await send(message)

    await api(scope, receive, counted)
    SIZE.labels(scope["method"], path_of(scope)).observe(size)


@api.get("/api/runs/shared/{digest}")
async def shared_run(digest: str):
    return {"digest": digest, "floors": [{"floor": floor, "damage": floor * 3 % 17} for floor in range(50)]}


@api.get("/api/cards/{card}")
async def card(card: str):
    return {"card": card, "cost": 1, "rarity": "common"}


@api.get("/metrics")
async def metrics():
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
