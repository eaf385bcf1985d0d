"""Thread clocks around named functions: what a path really costs, measured apart from the profile.

With CLOCKS=<file> in the environment, `watch(names)` replaces each function by one that adds up the CPU time of
its outermost calls, without that of watched functions inside; each process appends one JSON line when it ends.
`watch_requests(app)` does the same for the requests of a WSGI app whose worker serves one at a time: from the end
of a request to the end of the next one, so that what the server does around it is in it.
"""
import atexit
import functools
import importlib
import json
import os
import re
import threading
import time

USED = {}
INSIDE = threading.local()


def watch(*names):
    """names: "module:qualname", already imported."""
    file = os.environ.get("CLOCKS")
    if not file:
        return
    for name in names:
        module, _, qualname = name.partition(":")
        *owners, attribute = qualname.split(".")
        owner = functools.reduce(getattr, owners, importlib.import_module(module))
        setattr(owner, attribute, measure(getattr(owner, attribute), qualname))
    os.register_at_fork(after_in_child=lambda: (USED.clear(), atexit.register(write, file)))
    atexit.register(write, file)


def measure(function, name):
    @functools.wraps(function)
    def measured(*args, **kwargs):
        stack = INSIDE.__dict__.setdefault("stack", [])
        if any(outer == name for outer, _ in stack):
            return function(*args, **kwargs)
        stack.append([name, 0])
        began = time.thread_time_ns()
        try:
            return function(*args, **kwargs)
        finally:
            took = time.thread_time_ns() - began
            _, inner = stack.pop()
            USED[name] = USED.get(name, 0) + took - inner
            if stack:
                stack[-1][1] += took

    return measured


def write(file):
    used = {name: ns / 1e6 for name, ns in USED.items()}
    USED.clear()
    if used:
        with open(file, "a") as out:
            out.write(json.dumps(used) + "\n")


def watch_requests(app):
    if not os.environ.get("CLOCKS"):
        return app
    last = [0]

    def watched(environ, start_response):
        name = f"{environ['REQUEST_METHOD']} {re.sub(r'/[0-9]+', '/:id', environ['PATH_INFO'])}"

        def finished():
            now = time.process_time_ns()
            if last[0]:
                USED[name] = USED.get(name, 0) + now - last[0]
                USED[f"#{name}"] = USED.get(f"#{name}", 0) + 1_000_000
            last[0] = now

        return Closing(app(environ, start_response), finished)

    return watched


class Closing:
    """A response that calls `finished` behind the app's own close()."""

    def __init__(self, body, finished):
        self.body, self.finished = body, finished

    def __iter__(self):
        return iter(self.body)

    def close(self):
        getattr(self.body, "close", lambda: None)()
        self.finished()
