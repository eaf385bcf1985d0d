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
REQUESTS, STATEMENTS = 20, 20


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
    """Give a request of many statements for each way to make them: with engines without the companion and with it."""
    import sqlalchemy
    from sqlalchemy import orm

    table = sqlalchemy.Table("t", sqlalchemy.MetaData(), sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True))
    orm.registry().map_imperatively(Row, table)
    engines = [
        sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool, creator=functools.partial(connect, ":memory:"))
        for connect in (plain_connect, sqlite3.connect)
    ]
    plain = engines[0].dialect
    plain.do_execute = type(plain).do_execute.__wrapped__.__get__(plain)
    for engine in engines:
        table.create(engine)
    statement = sqlalchemy.select(Row)

    def execute_sqlite3(connection, times):
        for number in range(times):
            connection.execute("SELECT ?, 'text', 5 WHERE 1 = 2", (number,))

    def execute_orm(engine, times):
        with orm.Session(engine) as session:
            for number in range(times):
                session.scalars(statement.where(table.c.id == number)).all()

    return execute_sqlite3, execute_orm, engines


def measure_statements(companion, execute, without, with_it):
    """Alternate requests whose statements are not followed, and some whose are."""

    def serve(connection):
        def app(environ, start_response):
            execute(connection, STATEMENTS)
            return wsgi_app(environ, start_response)

        return companion.Companion(app, "00000000.1")

    costs, paths = [], ["/api/v1/citizens/"] * REQUESTS
    apps = serve(without), serve(with_it)
    for _number in range(ROUNDS):
        plain, cost, worked = clock(call_wsgi, apps[0], paths), clock(call_wsgi, apps[1], paths), clock(work, CALLS)
        spent = (cost - plain) / REQUESTS / STATEMENTS
        costs.append((spent * 1e6, spent / worked * CALLS))
    microseconds, multiples = zip(*costs, strict=True)
    return {"microseconds": statistics.median(microseconds), "of_work": statistics.median(multiples)}


def main():
    """Measure both kinds of apps, and statements."""
    plain_connect = sqlite3.connect
    os.environ["LOADFLAME"] = "1"
    spec = importlib.util.spec_from_file_location("loadflame_companion", sys.argv[1])
    companion = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(companion)
    asgi = companion.wrap(asgi_app)
    wsgi = measure(call_wsgi, wsgi_app, companion.Companion(wsgi_app, "00000000.1"))
    short = measure(call_asgi, asgi_app, asgi)
    long = measure(lambda app, paths: call_asgi(app, paths, STEPS), asgi_app, asgi)
    step = {unit: (long[unit] - short[unit]) / STEPS for unit in short}
    execute_sqlite3, execute_orm, engines = make_statements(plain_connect)
    direct = measure_statements(companion, execute_sqlite3, *[make(":memory:") for make in (plain_connect, sqlite3.connect)])
    mapped = measure_statements(companion, execute_orm, *engines)
    print(json.dumps({"wsgi": wsgi, "asgi": short, "step": step, "statement": direct, "orm": mapped}))


if __name__ == "__main__":
    main()
