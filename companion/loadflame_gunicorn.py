"""Tells loadflame which request a sample of the profiler belongs to, and answers what each request cost.

Use it as gunicorn's configuration, or with one line anywhere in the one that you have:

    LOADFLAME=1 gunicorn -c loadflame_gunicorn.py app:app
    import loadflame_gunicorn

It defines no setting and no server hook (post_fork, when_ready, ...), so it replaces none of yours.
Without LOADFLAME=1 in gunicorn's environment it does nothing at all. With it, in every worker:

- Two frames stand on the stack around the app while a request is served: a function that is named
  like the route ("GET /api/v1/services/:id", in the file "<loadflame route>"), and one that is named
  like the half-second in which it began ("<loadflame time>"). A profiler sees them; nothing else does.
- Answers carry a header, "Server-Timing: total;dur=12.3, cpu;dur=4.5, worker;desc="1f2e3d4c.4312"":
  milliseconds up to the answer's headers, those of them that the thread spent on a CPU, and which
  worker it was (a hash of host name and gunicorn's master, then the worker's process id).
- On Linux, processes of the same user may trace gunicorn (prctl PR_SET_PTRACER), so that py-spy needs
  no sudo.

It writes no file, keeps nothing of a request, and when something in it fails, the app is called as if
it was not there. Python 3.8 and newer; no dependencies.
"""

import os
import re
import sys
import time

__all__ = []  # "from loadflame_gunicorn import *" is as good as "import loadflame_gunicorn"

ROUTE_FILE = "<loadflame route>"
TIME_FILE = "<loadflame time>"
# routes of one worker: paths with names in them must not fill the memory
MAX_ROUTES = 500
MAX_PATHS = 5000
MAX_NAME = 200

# -- names of routes: exactly those that loadflame gives to the requests that it sends
# (lib/record/load/metrics/endpoint-name.js; both are tested with test/companion/route-names.json)

ID = re.compile(
    r"""\d+\Z                                              # a number
    |[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z  # a UUID
    |(?=[^0-9]*[0-9])[0-9a-fA-F]{16,}\Z                      # a hash
    |(?=(?:.*[0-9]){2})(?=.*[A-Za-z])[A-Za-z0-9_-]{24,}\Z    # a token
    """,
    re.ASCII | re.VERBOSE,
)
# what a browser encodes in a path, and what it takes for a dot
ENCODED = re.compile(r'[\x00-\x20"<>^`{}\x7f-\xff]')
DOT = re.compile(r"%2e", re.IGNORECASE)


def name_route(method, target):
    """Name the endpoint of a request line, ids folded: "GET", "/users/7/?a=b" -> "GET /users/:id/"."""
    path = target.partition("?")[0].partition("#")[0]
    if not path.startswith("/"):  # "http://host/path", or "*"
        rest = path.partition("://")[2]
        path = rest[rest.index("/") :] if "/" in rest else "/"
    path = ENCODED.sub(lambda match: "%%%02X" % ord(match[0]), path.replace("\\", "/"))
    parts = path.split("/")
    if "/." in path or "/%2" in path:
        parts = remove_dots(parts)
    folded = "/".join([":id" if ID.match(part) else part for part in parts])
    return "%s %s" % (method, folded[:MAX_NAME])


def remove_dots(parts):
    """Resolve "." and ".." as in the address of a page."""
    kept = []
    for index, part in enumerate(parts):
        plain = DOT.sub(".", part)
        if plain not in (".", ".."):
            kept.append(part)
            continue
        if plain == ".." and len(kept) > 1:
            kept.pop()
        if index == len(parts) - 1:
            kept.append("")
    return kept


# -- frames on the stack


def frame(function, *args):
    """Stand on the stack; its copies are told apart by the names of their code."""
    return function(*args)


def make_frame(name, file):
    """Copy frame() under another name; the name is what a profiler reads."""
    names = {"co_name": name, "co_filename": file}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = name
    return type(frame)(frame.__code__.replace(**names), {})


class Frames:
    """Makes each frame once. Threads may make one twice, which does no harm: the last one stays."""

    def __init__(self):
        """Begin without any."""
        self.by_path = {}
        self.by_name = {}
        self.half_second = (0, None)

    def of_route(self, method, target):
        """Give the frame of a request, looked up by how it was asked for."""
        path = target.partition("?")[0]
        key = (method, path)
        found = self.by_path.get(key)
        if found is None:
            if len(self.by_path) >= MAX_PATHS:
                self.by_path = {}
            found = self.by_path[key] = self.named(name_route(method, path), method)
        return found

    def named(self, name, method):
        """Give the frame of a route; past a number of routes, one for all others."""
        if name not in self.by_name and len(self.by_name) >= MAX_ROUTES:
            name = "%s (other paths)" % method[:20]
        found = self.by_name.get(name)
        if found is None:
            # a semicolon is what stands between the frames of collapsed stacks
            found = make_frame(name.replace(";", "\\x3b"), ROUTE_FILE)
            self.by_name[name] = found
        return found

    def of_time(self):
        """Give the frame of this half-second."""
        half_second = int(time.time() * 2)
        now, found = self.half_second
        if now != half_second:
            found = make_frame(str(half_second), TIME_FILE)
            self.half_second = (half_second, found)
        return found


# -- the app, wrapped


class Companion:
    """A WSGI app around another one."""

    def __init__(self, app, worker_id, has_thread_cpu=True):
        """Wrap an app; has_thread_cpu: no other request is served by the thread meanwhile."""
        self.app = app
        self.worker = 'worker;desc="%s"' % worker_id
        self.has_thread_cpu = has_thread_cpu and hasattr(time, "thread_time")
        self.frames = Frames()

    def __call__(self, environ, start_response):
        """Serve a request below its frames."""
        try:
            method = environ["REQUEST_METHOD"]
            route = self.frames.of_route(method, environ.get("RAW_URI") or environ["PATH_INFO"])
            # a WebSocket lives for minutes: the half-second in which it began says nothing of it
            half_second = None if "HTTP_UPGRADE" in environ else self.frames.of_time()
            start = self.timed(start_response)
        except Exception:
            return self.app(environ, start_response)
        if half_second is None:
            return route(self.app, environ, start)
        body = half_second(route, self.app, environ, start)
        if type(body) in (list, tuple) or is_file(body, environ):
            return body
        return Body(body, route, self.frames)

    def timed(self, start_response):
        """Add what the request took to the headers of its answer."""
        started = time.perf_counter()
        cpu_started = time.thread_time() if self.has_thread_cpu else None

        def start(status, headers, exc_info=None):
            try:
                value = "total;dur=%.3f" % ((time.perf_counter() - started) * 1000)
                if cpu_started is not None:
                    value += ", cpu;dur=%.3f" % ((time.thread_time() - cpu_started) * 1000)
                headers = add_timing(headers, "%s, %s" % (value, self.worker))
            except Exception:
                pass  # the answer counts more than its measurement
            if exc_info is None:
                return start_response(status, headers)
            return start_response(status, headers, exc_info)

        return start


def add_timing(headers, value):
    """Give the headers with Server-Timing, behind what the app says there itself."""
    headers = list(headers)
    for index, (name, own) in enumerate(headers):
        if name.lower() == "server-timing":
            headers[index] = (name, "%s, %s" % (own, value))
            return headers
    headers.append(("Server-Timing", value))
    return headers


def is_file(body, environ):
    """Tell what the server sends with sendfile() if it gets it as it is."""
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(wrapper, type) and isinstance(body, wrapper)


class Body:
    """The body of an answer; what makes its parts runs below the frames of the request, too."""

    def __init__(self, body, route, frames):
        """Wrap what the app gave back."""
        self.parts = iter(body)
        self.route = route
        self.frames = frames
        if hasattr(body, "close"):
            self.close = body.close

    def __iter__(self):
        """Be read once, as any body."""
        return self

    def __next__(self):
        """Make the next part."""
        try:
            half_second = self.frames.of_time()
        except Exception:
            return next(self.parts)
        return half_second(self.route, next, self.parts)


# -- gunicorn

# workers that serve many requests at once in one thread, whose CPU time is then everybody's
COOPERATIVE = {
    "gunicorn.workers.base_async",
    "gunicorn.workers.geventlet",
    "gunicorn.workers.ggevent",
}
WSGI = COOPERATIVE | {
    "gunicorn.workers.gthread",
    "gunicorn.workers.gtornado",
    "gunicorn.workers.sync",
}


def name_worker(ppid, pid):
    """Say which worker of which gunicorn this is: "1f2e3d4c.4312"."""
    import hashlib
    import socket

    text = "%s:%d" % (socket.gethostname(), ppid)
    return "%s.%d" % (hashlib.sha256(text.encode()).hexdigest()[:8], pid)


def wrap_app(worker):
    """Put the companion around the app of a worker; workers that serve no WSGI stay as they are."""
    bases = {base.__module__ for base in type(worker).__mro__}
    if not bases & WSGI:
        worker.log.warning("loadflame: %s serves no WSGI app, nothing to do", type(worker).__name__)
        return
    worker_id = name_worker(worker.ppid, os.getpid())
    worker.wsgi = Companion(worker.wsgi, worker_id, has_thread_cpu=not bases & COOPERATIVE)


def allow_tracing():
    """Let any process of this user trace this one; best effort. It is not inherited."""
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        pr_set_ptracer, any_process = 0x59616D61, ctypes.c_ulong(-1)
        ctypes.CDLL(None).prctl(pr_set_ptracer, any_process, 0, 0, 0)
    except Exception:
        pass  # no libc to call, or forbidden: py-spy then says what to do


def install():
    """Wrap what a worker does when it loads its app: hooks would be replaced by those of a config."""
    try:
        from gunicorn.workers.base import Worker
    except ImportError:
        return
    load_wsgi = Worker.load_wsgi
    if getattr(load_wsgi, "is_loadflame", False):
        return  # the configuration is read again (SIGHUP)

    def load_wrapped(self):
        load_wsgi(self)
        try:
            wrap_app(self)
        except Exception as error:
            self.log.warning("loadflame: requests are not told apart: %r", error)

    load_wrapped.is_loadflame = True
    Worker.load_wsgi = load_wrapped
    # the master now, and every worker (and a daemon) when it is forked
    allow_tracing()
    os.register_at_fork(after_in_child=allow_tracing)


if os.environ.get("LOADFLAME") == "1":
    install()
