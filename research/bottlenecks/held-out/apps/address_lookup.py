"""Completes addresses; a middleware lets only some lookups run at a time."""
import asyncio
import os
from contextlib import asynccontextmanager

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route

MOST_AT_ONCE = 64 if os.environ.get("FIXED") else 3


class Throttle:
    """At most `at_once` HTTP requests run; others wait for their turn."""

    def __init__(self, app, at_once: int) -> None:
        self.app = app
        self.turns = asyncio.Semaphore(at_once)

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        await self.turns.acquire()
        try:
            await self.app(scope, receive, send)
        finally:
            self.turns.release()


@asynccontextmanager
async def lifespan(app: Starlette):
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=os.environ["OTHER"], limits=limits) as client:
        app.state.register = client
        yield


async def complete(request):
    query = request.query_params.get("q", "main street")
    response = await request.app.state.register.get("/addresses", params={"q": query})
    number = response.json()["value"]
    return JSONResponse({"query": query, "matches": [f"{query.title()} {number}"]})


app = Starlette(
    routes=[Route("/addresses", complete)],
    middleware=[Middleware(Throttle, at_once=MOST_AT_ONCE)],
    lifespan=lifespan,
)
