"""Serves an app of the bench (SHARES_APP) by WSGI and by ASGI, each request one call of its `request`."""

import asyncio
import importlib
import inspect
import os
from concurrent.futures import ThreadPoolExecutor

import share_clock

app = importlib.import_module(os.environ["SHARES_APP"])
for index, name in enumerate(app.PARTS):
    function = getattr(app, name)
    if inspect.iscoroutinefunction(function):
        measure = share_clock.measured_async
    elif os.environ.get("SHARES_GREENLETS"):
        measure = share_clock.measured_greenlet
    else:
        measure = share_clock.measured
    setattr(app, name, measure(index, function))
THREADS = int(os.environ.get("SHARES_THREADS") or 0)
pool = ThreadPoolExecutor(THREADS) if THREADS else None
HEADERS = [("Content-Type", "text/plain"), ("Content-Length", "2")]


def handle():
    app.request()
    share_clock.tick()


def wsgi(_environ, start_response):
    handle()
    start_response("200 OK", HEADERS)
    return [b"ok"]


async def asgi(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if inspect.iscoroutinefunction(app.request):
        await app.request()
        share_clock.tick()
    elif pool:
        await asyncio.get_running_loop().run_in_executor(pool, handle)
    else:
        handle()
    headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})
