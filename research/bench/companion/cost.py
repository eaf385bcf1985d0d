"""What the companion costs a request: CPU time per call of an app with and without it.

Prints JSON: of a WSGI app, of an ASGI app, of each further step of it (an await that waits), of a middleware that hands
requests over, and of each statement of a request (of sqlite3, of one with other values in its text each time, and of
SQLAlchemy's ORM; with its share of the header), in microseconds, and as multiples of a fixed piece of work in Python
that alternates with them: a machine that is slow, for a moment or always, is slow for both. The paths hold ids, half of
them never seen before: looking up a route is part of it.
"""

import asyncio
import email
import fractions
import functools
import http.cookies
import importlib.util
import ipaddress
import itertools
import json
import os
import shlex
import sqlite3
import statistics
import string
import sys
import time
import urllib.parse
import uuid

import anyio

ROUNDS, CALLS, STEPS, MIDDLEWARES = 15, 2000, 10, 3
REQUESTS, STATEMENTS = 5, 20
NUMBERS = itertools.count()
# a statement with parameters, and statements with other text each time: values, more of them, and a name
TEXTS = {
    "statement": "SELECT ?, 'text', 5 WHERE 1 = 2",
    "varying": "SELECT a.id, 'name {0}' FROM t AS a WHERE a.id = {0} AND a.id IN ({0}, 7)",
    "varying_long": "SELECT u.id, u.id AS name, u.id AS email FROM t AS u JOIN t AS o ON o.id = u.id WHERE u.id = 'one {0}' "
    "AND u.id = 'x{0}@example.org' AND o.id > {0} AND o.id IN (1, 2, 3) ORDER BY u.id, o.id, name, email LIMIT 20",
    "varying_name": "SELECT id AS a{0} FROM t WHERE id = {0}",
}

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


async def hand_over(app, scope, receive, send):
    """Hand a request over to a task, and what that sends through a stream, as Starlette's BaseHTTPMiddleware."""
    sending, receiving = anyio.create_memory_object_stream()
    async with anyio.create_task_group() as group, sending, receiving:
        group.start_soon(app, scope, receive, sending.send)
        for _ in range(2):
            await send(await receiving.receive())


def start_response(_status, _headers, _exc_info=None):
    """Take the headers, as a server."""


async def talk(_message=None):
    """Take the parts of an answer, as a server."""


# Much code that runs seldom, as the companion's: where that became 1.8 times as dear (caches that others share), a loop of
# JSON alone became 1.3 times as dear.
PIECES = (
    lambda _: [(time.thread_time(), time.perf_counter()) for _ in range(20)],  # as often as the companion in such a time
    lambda number: json.loads(json.dumps({"id": number, "path": "/api/v1/citizens/", "parts": [number, 1.5, None]})),
    lambda number: email.message_from_string("Accept: a%d\nCookie: b; c=d\n\nbody" % number),
    lambda number: urllib.parse.urlsplit("http://host/%d?a=b#c" % number).geturl(),
    lambda number: http.cookies.SimpleCookie("a=b%d; c=d" % number).output(),
    lambda number: shlex.split("a 'b c' %d" % number),
    lambda number: fractions.Fraction(number, 7) + ipaddress.ip_address("10.0.0.%d" % (number % 256)).is_private,
    lambda number: string.Template("$a b").substitute(a=uuid.UUID(int=number).hex),
)


def work(times):
    """Do what is counted in, some ten microseconds each time."""
    for number in range(times):
        PIECES[number % len(PIECES)](number)


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

    def spend(paths):
        without, cost = clock(call, app, paths), clock(call, wrapped, paths)
        return cost - without

    return repeat(spend)


def measure_steps(wrapped):
    """Alternate requests without and with further steps: what each of these costs."""

    def spend(paths):
        without, cost = [
            clock(call_asgi, wrapped, paths, steps) - clock(call_asgi, asgi_app, paths, steps) for steps in (0, STEPS)
        ]
        return (cost - without) / STEPS

    return repeat(spend)


def repeat(spend):
    """Return the medians over rounds: the CPU time per call, and its multiple of the fixed work beside it."""
    costs = []
    for number in range(ROUNDS):
        ids = [number * CALLS + at if at % 2 else at % 50 for at in range(CALLS)]
        spent, worked = spend(["/api/v1/citizens/%d/?page=1" % one for one in ids]), clock(work, CALLS)
        costs.append((spent / CALLS * 1e6, spent / worked))
    microseconds, multiples = zip(*costs, strict=True)
    return {"microseconds": statistics.median(microseconds), "of_work": statistics.median(multiples)}


class Row:
    """A class that SQLAlchemy maps."""


def make_statements(plain_connect):
    """Give ways to make the statements of a request, each a pair: unseen by the companion, and seen."""
    import sqlalchemy
    from sqlalchemy import orm

    table = sqlalchemy.Table("t", sqlalchemy.MetaData(), sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True))
    orm.registry().map_imperatively(Row, table)
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    table.create(engine)
    statement, dialect = sqlalchemy.select(Row), engine.dialect
    original = type(dialect).do_execute.__wrapped__.__get__(dialect)

    def execute_text(text, connection):
        for number in itertools.islice(NUMBERS, STATEMENTS):
            connection.execute(text.format(number), (number,) * text.count("?"))

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

    pair = [connect(":memory:") for connect in (plain_connect, sqlite3.connect)]
    for connection in pair:
        connection.execute("CREATE TABLE t (id INTEGER)")
    made = {name: [functools.partial(execute_text, text, one) for one in pair] for name, text in TEXTS.items()}
    return dict(made, orm=(execute_unseen, execute_orm))


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
    step = measure_steps(asgi)
    handed = functools.reduce(lambda app, _: functools.partial(hand_over, app), range(MIDDLEWARES), asgi_app)
    several = measure(lambda app, paths: call_asgi(app, paths[::4]), handed, companion.wrap(handed))
    middleware = {unit: (several[unit] * 4 - short[unit]) / MIDDLEWARES for unit in short}
    statements = {name: measure_statements(pair) for name, pair in make_statements(plain_connect).items()}
    print(json.dumps({"wsgi": wsgi, "asgi": short, "step": step, "middleware": middleware, **statements}))


if __name__ == "__main__":
    plain_connect = sqlite3.connect
    os.environ["LOADFLAME"] = "1"
    spec = importlib.util.spec_from_file_location("loadflame_companion", sys.argv[1])
    companion = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(companion)
    main()
