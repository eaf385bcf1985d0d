"""When parcels arrive: a middleware admits eight requests, a pool of Redis has two connections for them."""
import asyncio
import contextlib
import os

from redis.asyncio import BlockingConnectionPool, Redis
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route

CONNECTIONS = 8 if os.environ.get("FIXED") else 2


class Admission:
    def __init__(self, app, most):
        self.app = app
        self.places = asyncio.Semaphore(most)

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        async with self.places:
            return await self.app(scope, receive, send)


pool = BlockingConnectionPool.from_url(os.environ["REDIS_URL"], max_connections=CONNECTIONS, timeout=30)
events = Redis(connection_pool=pool)


@contextlib.asynccontextmanager
async def lifespan(_):
    await events.config_set("hz", 250)  # else Redis ends what blocks only every 100 ms
    yield


async def next_of(parcel, wait_ms):
    return await events.xread({f"parcel:{parcel}": "$"}, block=wait_ms)


async def arrival(request):
    news = await next_of(request.path_params["parcel"], wait_ms=25)
    return JSONResponse({"news": len(news)})


app = Starlette(
    routes=[Route("/parcels/{parcel:int}", arrival)],
    middleware=[Middleware(Admission, most=8)],
    lifespan=lifespan,
)
