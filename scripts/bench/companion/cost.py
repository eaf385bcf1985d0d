"""What the companion costs a request: CPU time per call of an app with and without it, in microseconds.

Prints JSON: of a WSGI app, of an ASGI app, and of each further step of it (an await that waits). The
paths hold ids, half of them never seen before: looking up a route is part of it.
"""

import asyncio
import importlib.util
import json
import os
import statistics
import sys
import time

ROUNDS = 15
CALLS = 2000
STEPS = 10


def wsgi_app(environ, start_response):
    """Answer with an iterable that has to be wrapped, as frameworks do."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return iter((b"ok",))


async def asgi_app(scope, _receive, send):
    """Answer after as many steps as the request says."""
    for _ in range(scope["steps"]):
        await asyncio.sleep(0)
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


def start_response(_status, _headers, _exc_info=None):
    """Take the headers, as a server."""


async def talk(_message=None):
    """Take the parts of an answer, as a server."""


def call_wsgi(app, paths):
    """Make requests of a WSGI app."""
    for path in paths:
        for _part in app({"REQUEST_METHOD": "GET", "RAW_URI": path}, start_response):
            pass


def call_asgi(app, paths, steps=0):
    """Make requests of an ASGI app, each in a task of its own, as uvicorn does."""

    async def run_asgi(path):
        await app({"type": "http", "method": "GET", "path": path, "steps": steps}, talk, talk)

    async def run():
        loop = asyncio.get_running_loop()
        for path in paths:
            await loop.create_task(run_asgi(path))

    asyncio.run(run())


def measure(call, app, wrapped):
    """Alternate rounds with and without the companion; CPU time: the machine may be busy."""
    costs = []
    for number in range(ROUNDS):
        ids = [number * CALLS + at if at % 2 else at % 50 for at in range(CALLS)]
        paths = ["/api/v1/citizens/%d/?page=1" % one for one in ids]
        times = []
        for one in (app, wrapped):
            started = time.process_time()
            call(one, paths)
            times.append(time.process_time() - started)
        costs.append((times[1] - times[0]) / CALLS * 1e6)
    return statistics.median(costs), max(costs)


def main():
    """Measure both kinds of apps."""
    spec = importlib.util.spec_from_file_location("loadflame_companion", sys.argv[1])
    companion = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(companion)
    os.environ["LOADFLAME"] = "1"
    asgi = companion.wrap(asgi_app)
    wsgi, worst = measure(call_wsgi, wsgi_app, companion.Companion(wsgi_app, "00000000.1"))
    short, worst_asgi = measure(call_asgi, asgi_app, asgi)
    long, _ = measure(lambda app, paths: call_asgi(app, paths, STEPS), asgi_app, asgi)
    print(
        json.dumps(
            {
                "microseconds": wsgi,
                "worst": worst,
                "asgi": {"microseconds": short, "worst": worst_asgi, "perStep": (long - short) / STEPS},
            }
        )
    )


if __name__ == "__main__":
    main()
