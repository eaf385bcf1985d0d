"""Clocks of the bench inside the three apps; ../run.js says what is made of them.

Without CLOCKS=<file> in the environment everything here gives back what it was given. With it, each process adds a
line of JSON to that file when it ends: `paths` (CPU-ms of watched functions), `views` (CPU-ms and calls) and
`periods` (see Periods). They begin with the first request after <file>.on exists: what a new worker does once is left
out.
"""
import atexit
import functools
import importlib
import inspect
import json
import os
import re
import sqlite3
import threading
import time

FILE = os.environ.get("CLOCKS")
PATHS = {}
VIEWS = {}
INSIDE = threading.local()


def watch(*names):
    """Count the CPU time of the outermost calls of functions, without that of functions of other calls of watch.

    As paths of a report: of functions of one category only the outermost counts, and what is of another category is
    that one's. names: "module:qualname", already imported.
    """
    group = object()
    for name in names if FILE else ():
        module, _, qualname = name.partition(":")
        *owners, attribute = qualname.split(".")
        owner = functools.reduce(getattr, owners, importlib.import_module(module))
        function = getattr(owner, attribute)
        label = f"{function.__module__}:{function.__qualname__}"
        setattr(owner, attribute, measure(function, label, group))


def watch_sqlite():
    """Watch what sqlite3 has in C: `connect`, and `execute` and `fetchall` of its connections."""
    if not FILE:
        return
    group = object()

    class Cursor(sqlite3.Cursor):
        fetchall = measure(sqlite3.Cursor.fetchall, "sqlite3:fetchall", group)

    class Connection(sqlite3.Connection):
        @functools.partial(measure, name="sqlite3:execute", group=group)
        def execute(self, *args):
            return self.cursor(Cursor).execute(*args)

    connect = functools.partial(sqlite3.connect, factory=Connection)
    sqlite3.connect = measure(connect, "sqlite3:connect", group)


def measure(function, name, group):
    @functools.wraps(function)
    def measured(*args, **kwargs):
        stack = INSIDE.__dict__.setdefault("stack", [])
        if any(outer is group for outer, _ in stack):
            return function(*args, **kwargs)
        stack.append([group, 0])
        began = time.thread_time_ns()
        try:
            return function(*args, **kwargs)
        finally:
            took = time.thread_time_ns() - began
            _, inner = stack.pop()
            PATHS[name] = PATHS.get(name, 0) + (took - inner) / 1e6
            if stack:
                stack[-1][1] += took

    return measured


def view(endpoint):
    """Decorate a view, next to its function: what it and all that it calls use. A coroutine must not suspend."""

    def decorate(function):
        if not FILE:
            return function

        def count(began):
            ms, calls = VIEWS.get(endpoint, (0, 0))
            VIEWS[endpoint] = (ms + (time.thread_time_ns() - began) / 1e6, calls + 1)

        @functools.wraps(function)
        def measured(*args, **kwargs):
            began = time.thread_time_ns()
            try:
                return function(*args, **kwargs)
            finally:
                count(began)

        @functools.wraps(function)
        async def measured_coroutine(*args, **kwargs):
            began = time.thread_time_ns()
            try:
                return await function(*args, **kwargs)
            finally:
                count(began)

        return measured_coroutine if inspect.iscoroutinefunction(function) else measured

    return decorate


class Periods:
    """Cuts the life of a process where no request is in progress any more.

    A period is `[{endpoint: requests}, CPU-ms of the process, CPU-ms of the thread that ended it, ms]` since the end
    of the one before, so that all CPU time between the first and the last request is in one of them.
    """

    def __init__(self):
        self.all = []
        self.running, self.requests, self.last, self.is_on = 0, {}, None, False

    def begin(self):
        self.running += 1

    def end(self, method, path):
        name = f"{method} {re.sub('/[0-9]+', '/:id', path)}"
        self.requests[name] = self.requests.get(name, 0) + 1
        self.running -= 1
        if self.running:
            return
        now = (time.process_time_ns(), time.thread_time_ns(), time.perf_counter_ns())
        if not self.is_on:
            self.is_on = os.path.exists(f"{FILE}.on")
            PATHS.clear()
            VIEWS.clear()
        elif self.last:
            used = [(at - before) / 1e6 for at, before in zip(now, self.last)]
            self.all.append([self.requests, *used])
        self.requests, self.last = {}, now


PERIODS = Periods()


def watch_wsgi(app):
    """Wrap an app whose worker serves one request at a time."""
    if not FILE:
        return app

    def watched(environ, start_response):
        PERIODS.begin()
        end = functools.partial(PERIODS.end, environ["REQUEST_METHOD"], environ["PATH_INFO"])
        return Closing(app(environ, start_response), end)

    return watched


class Closing:
    """A response that calls `ended` behind the app's own close()."""

    def __init__(self, body, ended):
        self.body, self.ended = body, ended

    def __iter__(self):
        return iter(self.body)

    def close(self):
        getattr(self.body, "close", lambda: None)()
        self.ended()


def watch_asgi(app):
    """Wrap an app of one event loop."""
    if not FILE:
        return app

    async def watched(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        PERIODS.begin()
        try:
            await app(scope, receive, send)
        finally:
            PERIODS.end(scope["method"], scope["path"])

    return watched


def write():
    if PERIODS.all:
        with open(FILE, "a") as out:
            out.write(json.dumps({"paths": PATHS, "views": VIEWS, "periods": PERIODS.all}) + "\n")


if FILE:
    os.register_at_fork(after_in_child=lambda: atexit.register(write))
    atexit.register(write)
