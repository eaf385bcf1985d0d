"""What the companion costs a request: CPU time per call of an app with and without it.

Prints JSON: of a WSGI app, of an ASGI app, of each further step of it (an await that waits), and of each statement
of a request (of sqlite3, and of SQLAlchemy's ORM; with its share of the header), in microseconds, and as multiples of a fixed piece of work in Python that takes turns with them: a machine that
is slow, for a moment or always, is slow for both. The paths hold ids, half of them never seen before: looking
up a route is part of it.
"""

import asyncio
import functools
import importlib.util
import json
import os
import sqlite3
import statistics
import sys
import time

ROUNDS = 15
CALLS = 2000
STEPS = 10
REQUESTS, STATEMENTS = 5, 20


# what a client on this machine sends, and a server adds
NAMES = "host user-agent accept accept-encoding accept-language authorization cookie connection".split()
ENVIRON = {"REQUEST_METHOD": "GET", "REMOTE_ADDR": "127.0.0.1", "SERVER_PROTOCOL": "HTTP/1.1"}
ENVIRON.update({"HTTP_" + name.upper().replace("-", "_"): name for name in NAMES})
ENVIRON.update({"wsgi.%s" % number: None for number in range(12)})
HEADERS = [(name.encode(), name.encode()) for name in NAMES]
SCOPE = {"type": "http", "method": "GET", "http_version": "1.1", "client": ("127.0.0.1", 1), "headers": HEADERS}


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


def work(times):
    """Do what is counted in: ten microseconds on the machine of docs/performance.md."""
    for number in range(times):
        json.loads(json.dumps({"id": number, "path": "/api/v1/citizens/", "parts": [number, 1.5, None]}))


def call_wsgi(app, paths):
    """Make requests of a WSGI app."""
    for path in paths:
        for _part in app(dict(ENVIRON, RAW_URI=path), start_response):
            pass


def call_asgi(app, paths, steps=0):
    """Make requests of an ASGI app, each in a task of its own, as uvicorn does."""

    async def run_asgi(path):
        await app(dict(SCOPE, path=path, steps=steps), talk, talk)

    async def run():
        loop = asyncio.get_running_loop()
        for path in paths:
            await loop.create_task(run_asgi(path))

    asyncio.run(run())


def clock(function, *args):
    """Return the CPU time of a call, in seconds."""
    started = time.process_time()
    function(*args)
    return time.process_time() - started


def measure(call, app, wrapped):
    """Alternate rounds with and without the companion; CPU time: the machine may be busy."""
    costs = []
    for number in range(ROUNDS):
        ids = [number * CALLS + at if at % 2 else at % 50 for at in range(CALLS)]
        paths = ["/api/v1/citizens/%d/?page=1" % one for one in ids]
        without, cost, worked = (clock(call, app, paths), clock(call, wrapped, paths), clock(work, CALLS))
        costs.append(((cost - without) / CALLS * 1e6, (cost - without) / worked))
    microseconds, multiples = zip(*costs, strict=True)
    return {"microseconds": statistics.median(microseconds), "of_work": statistics.median(multiples)}


class Row:
    """A class that SQLAlchemy maps."""


def make_statements(plain_connect):
    """Give two ways to make the statements of a request, each a pair: unseen by the companion, and seen."""
    import sqlalchemy
    from sqlalchemy import orm

    table = sqlalchemy.Table("t", sqlalchemy.MetaData(), sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True))
    orm.registry().map_imperatively(Row, table)
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    table.create(engine)
    statement, dialect = sqlalchemy.select(Row), engine.dialect
    original = type(dialect).do_execute.__wrapped__.__get__(dialect)

    def execute_with(connection):
        for number in range(STATEMENTS):
            connection.execute("SELECT ?, 'text', 5 WHERE 1 = 2", (number,))

    def execute_orm():
        with orm.Session(engine) as session:
            for number in range(STATEMENTS):
                session.scalars(statement.where(table.c.id == number)).all()

    def execute_unseen():
        # one engine for both: two differ by as much as is measured
        dialect.do_execute = original
        around = companion.CALLER.get()
        companion.CALLER.set(None)
        execute_orm()
        companion.CALLER.set(around)
        del dialect.do_execute

    direct = [functools.partial(execute_with, connect(":memory:")) for connect in (plain_connect, sqlite3.connect)]
    return direct, (execute_unseen, execute_orm)


def measure_statements(pair):
    """Alternate requests whose statements are not seen, and some whose are."""

    def serve(execute):
        def app(environ, start_response):
            execute()
            return wsgi_app(environ, start_response)

        return companion.Companion(app, "00000000.1")

    costs, paths = [], ["/api/v1/citizens/"] * REQUESTS
    apps = [serve(execute) for execute in pair]
    for number in range(ROUNDS * REQUESTS):
        first = clock(call_wsgi, apps[number % 2], paths)
        second, worked = clock(call_wsgi, apps[1 - number % 2], paths), clock(work, CALLS // REQUESTS)
        spent = (second - first if number % 2 == 0 else first - second) / REQUESTS / STATEMENTS
        costs.append((spent * 1e6, spent / worked * (CALLS // REQUESTS)))
    microseconds, multiples = zip(*costs, strict=True)
    return {"microseconds": statistics.median(microseconds), "of_work": statistics.median(multiples)}


def main():
    """Measure both kinds of apps, and statements."""
    asgi = companion.wrap(asgi_app)
    wsgi = measure(call_wsgi, wsgi_app, companion.Companion(wsgi_app, "00000000.1"))
    short = measure(call_asgi, asgi_app, asgi)
    long = measure(lambda app, paths: call_asgi(app, paths, STEPS), asgi_app, asgi)
    step = {unit: (long[unit] - short[unit]) / STEPS for unit in short}
    statement, orm = [measure_statements(pair) for pair in make_statements(plain_connect)]
    print(json.dumps({"wsgi": wsgi, "asgi": short, "step": step, "statement": statement, "orm": orm}))


if __name__ == "__main__":
    plain_connect = sqlite3.connect
    os.environ["LOADFLAME"] = "1"
    spec = importlib.util.spec_from_file_location("loadflame_companion", sys.argv[1])
    companion = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(companion)
    main()
