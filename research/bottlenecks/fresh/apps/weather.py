"""Forecasts of a public service, for the app of a ferry line."""

import contextlib
import os
import time

import aiohttp
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route

CONNECTIONS = 40 if os.environ.get("FIXED") else 2


class ServerTiming(BaseHTTPMiddleware):
    async def dispatch(self, request, call_next):
        start = time.perf_counter()
        response = await call_next(request)
        duration = 1000 * (time.perf_counter() - start)
        response.headers["Server-Timing"] = f"app;dur={duration:.1f}"
        return response


class Forecast(HTTPEndpoint):
    async def get(self, request):
        place = request.path_params["place"]
        session = request.app.state.session
        async with session.get(os.environ["OTHER"], params={"place": place}) as answer:
            data = await answer.json()
        return JSONResponse({"place": place, "wind": data["value"]})


@contextlib.asynccontextmanager
async def lifespan(application):
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        application.state.session = session
        yield


app = Starlette(
    routes=[Route("/forecast/{place}", Forecast)],
    middleware=[Middleware(ServerTiming)],
    lifespan=lifespan,
)
