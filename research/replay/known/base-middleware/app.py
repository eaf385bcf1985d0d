"""A memory service with middleware for request ids, times and headers."""

import os
import time
import uuid

from fastapi import FastAPI, Request
from starlette.datastructures import MutableHeaders
from starlette.middleware.base import BaseHTTPMiddleware

app = FastAPI()
MEMORIES = [{"id": number, "text": f"memory {number}"} for number in range(5)]


class RequestId(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next):
        request.state.id = request.headers.get("x-request-id") or uuid.uuid4().hex
        response = await call_next(request)  # CAUSE
        response.headers["x-request-id"] = request.state.id
        return response


class Duration(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next):
        start = time.perf_counter()
        response = await call_next(request)  # CAUSE
        response.headers["x-duration"] = f"{time.perf_counter() - start:.6f}"
        return response


class NoStore(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next):
        response = await call_next(request)  # CAUSE
        response.headers["cache-control"] = "no-store"
        return response


class PlainHeaders:
    """All three as one ASGI middleware."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        start = time.perf_counter()
        given = dict(scope.get("headers", [])).get(b"x-request-id")
        own = given.decode() if given else uuid.uuid4().hex

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                headers["x-request-id"] = own
                headers["x-duration"] = f"{time.perf_counter() - start:.6f}"
                headers["cache-control"] = "no-store"
            await send(message)

        await self.app(scope, receive, send_with_headers)


if os.environ.get("FIXED") == "1":
    app.add_middleware(PlainHeaders)
else:
    for middleware in (RequestId, Duration, NoStore):
        app.add_middleware(middleware)


@app.get("/memories")
async def list_memories():
    return MEMORIES
