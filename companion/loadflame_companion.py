"""Shows loadflame which request a sample of the profiler belongs to, and reports what each request cost.

WSGI apps under gunicorn: use it as gunicorn's configuration, or with one line anywhere in your own:

    LOADFLAME=1 gunicorn -c loadflame_companion.py app:app
    import loadflame_companion

ASGI apps (FastAPI, Starlette, Django) under any server: one line at the end of the module with the app.
gunicorn's uvicorn workers need either that or the line in gunicorn's configuration.

    app = loadflame_companion.wrap(app)

It defines no setting and no server hook (post_fork, when_ready, ...), so it replaces none of yours.
Without LOADFLAME=1 or LOADFLAME=<key> in the server's environment it does nothing: wrap() returns the app itself.
With it, in every worker:

- Two frames are on the stack around the app while a request is served: a function that is named
  after the route ("GET /api/v1/services/:id", in the file "<loadflame route>"), and one that is named
  after the half-second in which it began ("<loadflame time>"). Only a profiler sees them.
- Responses carry a header, "Server-Timing: total;dur=12.3, cpu;dur=4.5, worker;desc="1f2e3d4c.4312",
  around;dur=0.6, now;dur=1795211103000.1, companion;desc="0.1.0"": milliseconds up to the headers of the response,
  CPU time of its threads, the worker (a hash of host name and parent process, then the worker's process id),
  CPU time of the server around requests, its clock (since the epoch), and the version of this file.
- Responses to requests that executed SQL, or asked another service, say so in a header "Loadflame-Calls": JSON,
  per statement the number of executions, the time, and the line of the app; no values. LOADFLAME_CALLS=0: without.
- With LOADFLAME=1 only clients on this machine that came through no proxy get these headers; with a key (16 characters
  or more) those that send it as "Loadflame-Key". Such responses are "Cache-Control: no-store".
- On Linux, processes of the same user may trace the server (prctl PR_SET_PTRACER), so that py-spy
  needs no sudo.

A coroutine is on the stack only while it runs: each of its steps, from one await to the next, runs
below frames of its own, and is timed. So are the tasks that it starts (by a task factory) and its calls in
threads (anyio.to_thread.run_sync and ThreadPoolExecutor.submit are replaced). A step also counts what the event
loop did just before it, except timers of others (call_later and call_at of the loop are replaced). The next
response of the route reports what a request does after its headers. If a part is unknown, "cpu" is left out. A
step of more than 0.1 s delays all other requests of the worker: "blocked;dur=153.1, blocked-cpu;dur=0.4" reports
the longest one, and its CPU time.

A suspended coroutine is on no stack. So four threads of the companion each show one request in progress,
chosen again five times a second: they sleep below a frame whose name says where its coroutines wait, from
the app's own to the innermost `await`. A profiler that samples sleeping threads sees it.

LOADFLAME_REMEDY=<cause>, beside LOADFLAME, tries the fix of a cause that loadflame names, in memory only: see
"remedies" below. Lines on stderr report what it replaced and how often it acted.

It writes no file and keeps nothing of a request. If something in it fails, the app is called without it.
Python 3.8 and newer; no dependencies. The file may also have its old name, loadflame_gunicorn.py.
"""

import collections.abc
import contextvars
import functools
import gc
import math
import os
import re
import sys
import threading
import time
import types
import weakref
from random import random
from time import perf_counter

__version__ = "0.1.0"  # loadflame's; pyproject.toml reads it here
__all__ = []  # "from loadflame_companion import *" is as good as "import loadflame_companion"

# not every system has these
thread_time = getattr(time, "thread_time", None)
clock_id_of = getattr(time, "pthread_getcpuclockid", lambda ident: None)

ROUTE_FILE = "<loadflame route>"
TIME_FILE = "<loadflame time>"
# most routes of one worker: paths with names in them must not fill the memory
MAX_ROUTES = 500
MAX_PATHS = 5000
MAX_NAME = 200
# methods with a name of their own past that number; a client can make up any number of others
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# per route, reported with its next response, so that only means are useful: CPU time after the headers of
# responses, and CPU time of the server around requests
UNTOLD = {}
AROUND = {}
SERVER = object()

# -- who gets the headers

SETTING = os.environ.get("LOADFLAME", "")
KEY = SETTING.encode() if re.match(r"[!-~]{16,}\Z", SETTING) else None
IS_ACTIVE = SETTING == "1" or KEY is not None
LOOPBACK = ("127.", "::ffff:127.")
# headers that proxies add, and the protocol of nginx where it adds none
PROXIED = frozenset(
    b"forwarded via x-forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-forwarded-server"
    b" x-forwarded-by x-forwarded-prefix x-original-forwarded-for x-real-ip x-client-ip x-cluster-client-ip"
    b" true-client-ip cf-connecting-ip fastly-client-ip x-envoy-external-address x-envoy-attempt-count"
    b" x-amzn-trace-id x-arr-log-id cdn-loop".split()
)
PROXIED_WSGI = frozenset(["HTTP_" + name.decode().upper().replace("-", "_") for name in PROXIED])
# what lets a cache keep a response in spite of "no-store", and that; ETag stays, clients use it without a cache, too
STORING = "expires surrogate-control edge-control x-accel-expires".split()
# also those for caches of one kind (RFC 9213): CDN-Cache-Control, Netlify-CDN-Cache-Control
CACHE_CONTROL = "cache-control"
UNSTORED_WSGI = frozenset(STORING), CACHE_CONTROL, ("Cache-Control", "no-store")
UNSTORED = frozenset([name.encode() for name in STORING]), CACHE_CONTROL.encode(), (b"cache-control", b"no-store")


def may_see(key, peer, is_direct):
    """Return whether a client gets the headers: who has the key or, without one, who is on this machine."""
    if KEY is None:
        return is_direct and (peer.startswith(LOOPBACK) or peer == "::1")
    import hmac

    return hmac.compare_digest(key, KEY)


# -- names of routes: exactly those that loadflame gives to the requests that it sends
# (lib/run/endpoint-names.js; both are tested with test/companion/route-names.json)

ID = re.compile(
    r"""\d+\Z                                              # a number
    |[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z  # a UUID
    |(?=[^0-9]*[0-9])[0-9a-fA-F]{16,}\Z                      # a hash
    |(?=(?:.*[0-9]){2})(?=.*[A-Za-z])[A-Za-z0-9_-]{24,}\Z    # a token
    |eyJ[A-Za-z0-9_-]{5,}[A-Za-z0-9_.-]*\Z                   # a JSON Web Token
    |[^@]+(?:@|%40).+\Z|(?:\+|%2[Bb])[0-9]{6,}\Z             # an email address, a phone number
    """,
    re.ASCII | re.VERBOSE,
)
# after these words, shorter segments are tokens, too
BEFORE_TOKEN = re.compile(
    "(?:(?:reset[-_]?|set[-_]?|change[-_]?|forgot[-_]?)?passwords?|(?:password[-_]?)?reset"
    "|(?:verify|confirm|activate)(?:[-_]?(?:account|email))?|verification|confirmation|activation|invites?"
    "|invitations?|unsubscribe|unlock|recover|recovery|magic|magic[-_]?link|tokens?)\\Z",
    re.IGNORECASE | re.ASCII,
)
TOKEN = re.compile(r"(?=.*[0-9])[A-Za-z0-9_.~-]{8,}\Z|[A-Za-z0-9_.~-]{20,}\Z", re.ASCII)
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
    folded = [
        ":id" if ID.match(part) or (BEFORE_TOKEN.match(before) and TOKEN.match(part)) else part
        for before, part in zip([""] + parts, parts)
    ]
    return "%s %s" % (method, "/".join(folded)[:MAX_NAME])


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
    """Stand on the stack; the names of their code distinguish its copies."""
    return function(*args)


def make_frame(name, file):
    """Copy frame() under another name; the name is what a profiler reads."""
    return type(frame)(rename(frame.__code__, name, co_filename=file), {})


def rename(code, name, **more):
    """Give code that a profiler reads under another name."""
    names = {"co_name": name, **more}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = name
    return code.replace(**names)


class Frames:
    """Makes each frame once. Two threads may make the same one, which does no harm: the last one stays."""

    def __init__(self):
        """Begin without any."""
        self.by_path = {}
        self.by_name = {}
        self.half_second = (0, None)

    def of_route(self, method, target):
        """Return the frame of a request, by its method and path."""
        path = target.partition("?")[0]
        key = (method, path)
        found = self.by_path.get(key)
        if found is None:
            if len(self.by_path) >= MAX_PATHS:
                self.by_path = {}
            found = self.by_path[key] = self.named(name_route(method, path), method)
        return found

    def named(self, name, method):
        """Give the frame of a route; past a number of routes, one per method for all others."""
        if name not in self.by_name and len(self.by_name) >= MAX_ROUTES:
            name = "%s (other paths)" % (method if method in METHODS else "OTHER")
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


# -- a WSGI app, wrapped


class Companion:
    """A WSGI app around another one."""

    def __init__(self, app, worker_id, clock=None):
        """Wrap an app; clock: who counts the CPU time of requests, where one thread serves several at once."""
        self.app = app
        self.worker = 'worker;desc="%s"' % worker_id
        self.clock = clock
        self.frames = Frames()
        self.unseen = Frames()  # of clients that get no headers: their costs are reported to nobody

    def __call__(self, environ, start_response):
        """Serve a request below its frames."""
        try:
            method = environ["REQUEST_METHOD"]
            is_seen = may_see(
                environ.get("HTTP_LOADFLAME_KEY", "").encode("latin-1", "replace"),
                environ.get("REMOTE_ADDR") or "",  # a socket file has none: a proxy is before it
                environ.get("SERVER_PROTOCOL") != "HTTP/1.0" and PROXIED_WSGI.isdisjoint(environ),
            )
            frames = self.frames if is_seen else self.unseen
            route = frames.of_route(method, environ.get("RAW_URI") or environ["PATH_INFO"])
            # a WebSocket lives for minutes: the half-second in which it began says nothing of it
            half_second = None if "HTTP_UPGRADE" in environ else frames.of_time()
            clock = self.clock or clock_of_thread()
            served = Served(route, clock)
            start = self.timed(start_response, served) if is_seen else start_response
            clock.begin(served)
            CALLER.set(served)
        except Exception:
            return self.app(environ, start_response)
        body = ()
        try:
            if half_second is None:
                return route(self.app, environ, start)
            body = half_second(route, self.app, environ, start)
            if not (type(body) in (list, tuple) or is_file(body, environ)):
                body = Body(body, served, self.frames)
            return body
        finally:
            CALLER.set(None)
            if type(body) is not Body:
                clock.leave(served)

    def timed(self, start_response, served):
        """Add what the request took to the headers of its response."""

        def start(status, headers, exc_info=None):
            try:
                told = served.tell(self.worker)
                headers = add_timing(headers, "%s, %s" % (told, tell_time()))
                calls = tell_calls(served)
                if calls is not None:
                    headers.append((CALLS_HEADER, calls))
            except Exception:
                pass  # the response counts more than its measurement
            if exc_info is None:
                return start_response(status, headers)
            return start_response(status, headers, exc_info)

        return start


class Served:
    """A request of a WSGI app, and what it has cost so far."""

    __slots__ = ("clock", "cpu", "around", "is_told", "route", "started", "ended", "ledger", "greenlet")

    def __init__(self, route, clock):
        """Begin."""
        self.greenlet = None
        self.route = route
        self.clock = clock
        self.started = perf_counter()
        self.cpu = self.around = 0.0
        self.is_told = False
        self.ended = self.ledger = None

    def tell(self, worker):
        """Report what it took up to the headers of its response."""
        text = "total;dur=%.3f" % ((perf_counter() - self.started) * 1000)
        if not self.clock.look(self):
            return "%s, %s" % (text, worker)
        self.is_told = True
        cpu, around = self.cpu + UNTOLD.pop(self.route, 0), AROUND.pop(self.route, 0)
        self.cpu = 0.0
        return "%s, cpu;dur=%.3f, %s, around;dur=%.3f" % (text, cpu * 1000, worker, around * 1000)

    def keep(self):
        """Keep what was not reported for the next response of the route."""
        if self.is_told:
            add(UNTOLD, self.route, self.cpu)
            self.cpu = 0.0
        add(AROUND, self.route, self.around)
        self.around = 0.0

    def is_on_a_stack(self):
        """Return whether its greenlet runs now."""
        return self.greenlet.gr_frame is None

    def waits_for_a_thread(self):
        """Return whether a call that it handed to a thread has not begun: that is on its stack."""
        return False

    def follow_awaits(self):
        """Tell where its greenlet is suspended, outermost first, and whether it only waits for its turn: not known."""
        places, frame = [], self.greenlet.gr_frame
        while frame is not None and frame.f_code.co_filename != ROUTE_FILE and len(places) < MAX_DEPTH:
            if frame.f_code.co_filename != __file__:
                places.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        return places[::-1], False


def add(costs, route, cpu):
    """Add to what will be reported for a route."""
    costs[route] = costs.get(route, 0) + cpu


class Clock:
    """Counts whose CPU time it is; this one knows nothing.

    Between requests a server writes the response and the log and reads the next request. What it spends from one
    request to the next is reported with the route of the first one, separate from the cost of its requests.
    """

    def begin(self, served):
        """Count what runs from now on for the request."""

    def resume(self, served):
        """Count for the request again: a part of its body is made."""

    def leave(self, served):
        """Count what runs from now on for the server."""

    def end(self, served):
        """Do the same without a further part: not worth reading the clock."""

    def look(self, served):
        """Count up to now; return whether that is known."""
        return False


# in so long a pause a server looks after its timers only
IDLE_SERVER_S = 2


class ThreadClock(Clock):
    """The clock of a thread that serves one request after the other."""

    def __init__(self):
        """Begin without a request."""
        self.last = None
        self.at = 0.0  # its last reading

    def begin(self, served):
        """Take what the thread does from now on for the request's."""
        last, self.last, now = self.last, served, thread_time()
        if last is not None:
            last.around += now - self.at
            last.keep()
        self.at = now
        MAIN_THREAD.count(served)

    def resume(self, served):
        """Count for the request again."""
        now = thread_time()
        served.around += now - self.at
        self.at = now

    def leave(self, served):
        """Count what the thread does from now on for the server."""
        now = thread_time()
        served.cpu += now - self.at
        self.at = now

    def look(self, served):
        """Count up to now."""
        self.leave(served)
        return True


class MainThread:
    """In gthread workers (and waitress) it accepts connections for the threads that serve them."""

    def __init__(self):
        """Begin; it is not known yet whether it serves requests itself."""
        self.clock = None
        self.cpu = self.seen = 0.0

    def count(self, served):
        """Add what it spent since the last request to what is around this one."""
        if self.clock is None:
            main = threading.main_thread().ident
            is_other = threading.get_ident() != main and hasattr(time, "pthread_getcpuclockid")
            self.clock = time.pthread_getcpuclockid(main) if is_other else False
        if self.clock is False:
            return
        cpu, now = time.clock_gettime(self.clock), perf_counter()
        if now - self.seen < IDLE_SERVER_S:
            served.around += cpu - self.cpu
        self.cpu, self.seen = cpu, now


MAIN_THREAD = MainThread()
THREADS = threading.local()


def clock_of_thread():
    """Give the clock of this thread."""
    try:
        return THREADS.clock
    except AttributeError:
        THREADS.clock = Clock() if thread_time is None else ThreadClock()
        return THREADS.clock


class GreenletClock(Clock):
    """The clock of a thread that serves many requests at once, read whenever greenlets change.

    What a greenlet of the server does counts as around the requests, as does the hub; what others do (the
    application's own in the background, the worker's heartbeat) is unattributed.
    """

    MODULES = ("gunicorn.workers.", "eventlet.wsgi", "gevent.pywsgi", "gevent.baseserver")

    def __init__(self):
        """Begin; greenlets are followed from the first request on: the worker has forked by then."""
        self.greenlet = None
        self.at = None
        self.seen = 0.0
        self.around = 0.0  # of no request before
        self.requests = {}  # greenlet -> the request that it is at
        self.last = weakref.WeakKeyDictionary()  # greenlet -> route; SERVER, or None: none of the server's

    def follow(self):
        """Be called at each change; whoever is called already stays, and nothing is known."""
        import greenlet

        self.greenlet = greenlet
        if greenlet.gettrace() is None:
            self.at = thread_time()
            greenlet.settrace(self.switched)

    def switched(self, event, change):
        """Attribute what ran since the last reading to the greenlet that ran."""
        try:
            self.count(*change)
        except Exception:
            pass  # an error would end the tracing

    def count(self, origin, target=None):
        """Attribute what ran since the last reading to the request of the greenlet, or to the server.

        What the hub did was for the greenlet that it wakes: a request that waits often has it run often.
        """
        now = thread_time()
        spent, self.at = now - self.at, now
        served = self.requests.get(origin)
        if served is not None:
            served.cpu += spent
            return
        last = self.last.get(origin, self)
        if last is self:
            last = self.last[origin] = SERVER if self.is_of_server(origin) else None
        if last is SERVER and target is not None:
            woken = self.requests.get(target)
            last = self.last.get(target, SERVER) if woken is None else woken.route
        if last is SERVER:
            self.around += spent
        elif last is not None:
            add(AROUND, last, spent)

    def is_of_server(self, origin):
        """Return whether a greenlet is one of the server, by its frames; the first one is the worker's."""
        frame = origin.gr_frame if origin.parent is not None else None
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith(self.MODULES):
                return True
            frame = frame.f_back
        return False

    def look(self, served):
        """Attribute what ran since the last reading to the greenlet that runs."""
        if self.at is not None:
            self.count(self.greenlet.getcurrent())
        return self.at is not None

    def begin(self, served):
        """Count what the greenlet does from now on for the request."""
        if self.greenlet is None:
            self.follow()
        if self.at is None:
            return
        own, now = self.greenlet.getcurrent(), perf_counter()
        self.last.setdefault(own, SERVER)
        if own.parent is not None:
            self.last[own.parent] = SERVER  # the hub
        self.resume(served)
        if now - self.seen < IDLE_SERVER_S:
            served.around += self.around
        self.seen, self.around = now, 0.0
        self.last[own] = served.route

    def resume(self, served):
        """Count for the request again."""
        if self.look(served):
            served.greenlet = self.greenlet.getcurrent()
            self.requests[served.greenlet] = served
            UNDER_WAY[served] = None
            show_awaits_from_now_on()

    def leave(self, served):
        """Count what the greenlet does from now on for the server."""
        UNDER_WAY.pop(served, None)
        if self.look(served):
            self.requests.pop(self.greenlet.getcurrent(), None)
            served.keep()

    end = leave


def tell_time():
    """Say what this machine's clock shows, which may differ from the client's, and the version of this file."""
    return 'now;dur=%.1f, companion;desc="%s"' % (time.time() * 1000, __version__)


def add_timing(headers, value, header="Server-Timing", joint=", ", unstored=UNSTORED_WSGI):
    """Give the headers with Server-Timing, behind what the app says there itself, and for no cache."""
    storing, ending, rule = unstored
    made, own_name = [rule], header.lower()
    for name, own in headers:
        lower = name.lower()
        if lower == own_name:
            value = own + joint + value
        elif lower not in storing and not lower.endswith(ending):
            made.append((name, own))
    made.append((header, value))
    return made


def is_file(body, environ):
    """Tell what the server sends with sendfile() if it gets it as it is."""
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(wrapper, type) and isinstance(body, wrapper)


class Body:
    """The body of a response; what makes its parts runs below the frames of the request, too."""

    def __init__(self, body, served, frames):
        """Wrap what the app returned."""
        self.parts = iter(body)
        self.served = served
        self.frames = frames
        self.is_begun = True  # what comes first is made at once
        if hasattr(body, "close"):
            self.close = functools.partial(self.run, body.close)

    def __iter__(self):
        """Be read once, as any body."""
        return self

    def __next__(self):
        """Make the next part."""
        return self.run(next, self.parts)

    def run(self, call, *args):
        """Make a call below the frames of the request."""
        served = self.served
        try:
            half_second = self.frames.of_time()
            if not self.is_begun:
                served.clock.resume(served)
            self.is_begun = False
            CALLER.set(served)
        except Exception:
            return call(*args)
        try:
            made = half_second(served.route, call, *args)
        except StopIteration:
            served.clock.end(served)
            raise
        except BaseException:
            served.clock.leave(served)
            raise
        finally:
            CALLER.set(None)
        served.clock.leave(served)
        return made


# -- an ASGI app, wrapped

# a step that keeps the event loop for longer is reported
BLOCKED_S = 0.1
# what a task does so soon after its request is still done for it; one that lives on (a pool of
# connections that the first request opened) is unattributed
LINGER_S = 10
# whose tasks are the server's work for requests: the last ones accept connections for it
SERVERS = ("uvicorn.", "hypercorn.", "gunicorn.", "granian.", "asyncio.selector_events")
FRAMES = Frames()
UNSEEN = Frames()  # of clients that get no headers
REQUEST = contextvars.ContextVar("loadflame_request", default=None)


def wrap(app):
    """Give an ASGI app that serves each request below its frames; without LOADFLAME the app itself."""
    is_wanted = IS_ACTIVE and thread_time is not None
    if not is_wanted or getattr(type(app), "is_loadflame", False):
        return app
    follow_threads()
    try:
        follow_tasks()  # of a loop that runs already: what the app starts with it is no request's
    except Exception:
        pass
    allow_tracing_from_now_on()
    return AsgiCompanion(app)


class AsgiCompanion:
    """An ASGI 3 app around another one; what else it is asked for, the other one has."""

    is_loadflame = True

    def __init__(self, app):
        """Wrap an app; its worker is named when it serves: the app may be loaded before a fork."""
        self.app = app
        self.worker = None

    def __getattr__(self, name):
        """Be used as the app itself by what follows the line that wraps it."""
        return getattr(self.__dict__["app"], name)

    async def __call__(self, scope, receive, send):
        """Serve a request, or another event of the server."""
        request = loop = None
        try:
            loop = follow_tasks()
            if scope["type"] in ("http", "websocket"):
                request = self.begin(scope, loop)
        except Exception:
            pass
        if request is None:
            served = self.app(scope, receive, send)
            return await (OtherSteps(served, loop) if loop and hasattr(served, "send") else served)
        around = REQUEST.get()
        REQUEST.set(request)
        CALLER.set(request)
        try:
            served = self.app(scope, receive, request.timed(send))
            request.begin_awaits(served)
            return await (Steps(served, request) if hasattr(served, "send") else served)
        finally:
            request.end()
            REQUEST.set(around)
            CALLER.set(around)

    def begin(self, scope, loop):
        """Name a request by how it was asked for."""
        if self.worker is None:
            self.worker = 'worker;desc="%s"' % name_worker(os.getppid(), os.getpid())
            show_awaits_from_now_on()
        path = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
        headers, client = dict(scope.get("headers") or ()), scope.get("client") or ("",)
        is_direct = scope.get("http_version") != "1.0" and PROXIED.isdisjoint(headers)
        is_seen = may_see(headers.get(b"loadflame-key", b""), client[0] or "", is_direct)
        route = (FRAMES if is_seen else UNSEEN).of_route(scope.get("method", "GET"), path.decode("latin-1"))
        return Request(route, self.worker, loop, is_seen)


class Request:
    """What a request has cost so far: steps on the event loop, and calls in threads."""

    __slots__ = (
        "route",
        "worker",
        "loop",
        "told",
        "started",
        "ended",
        "cpu",
        "around",
        "step_started",
        "step_cpu_started",
        "longest",
        "longest_cpu",
        "calls",
        "coroutine",
        "tasks",
        "ledger",
        "is_seen",
    )

    def __init__(self, route, worker, loop, is_seen):
        """Begin; without a loop that is known, neither are the tasks that it starts."""
        self.is_seen = is_seen
        self.route = route
        self.worker = worker
        self.loop = loop
        self.told = None
        self.started = perf_counter()
        self.ended = None
        self.cpu = 0.0
        self.around = None
        self.step_started = None
        self.longest = self.longest_cpu = 0.0
        self.calls = []
        self.coroutine = self.tasks = self.ledger = None

    def is_over(self):
        """Return whether what still runs in its name no longer belongs to it."""
        return self.ended is not None and perf_counter() - self.ended > LINGER_S

    def end(self):
        """Keep what was done since the headers of the response for the next one."""
        self.ended = perf_counter()
        self.coroutine = None
        UNDER_WAY.pop(self, None)
        self.keep()

    def keep(self):
        """Keep what was not reported for the next response of the route; a thread may end at the same moment."""
        with LOCK:
            if self.told is not None:
                told, self.told = self.told, self.count()
                add(UNTOLD, self.route, self.told - told)

    def count(self):
        """Return the CPU time of its steps, and of its threads up to now."""
        return self.cpu + sum([cost[0] if cost[0] is not None else read_clock(*cost[1:]) for cost in self.calls])

    def run_step(self, resume, value):
        """Resume a coroutine; a task that starts eagerly does so inside a step of another one."""
        loop = self.loop
        if self.step_started is not None:
            return resume(value)
        if self.ended is not None and self.is_over():
            return resume(value) if loop is None else loop.run_other(resume, value)
        half_second = FRAMES.of_time()
        self.step_started = perf_counter()
        self.step_cpu_started = thread_time()
        if loop is not None:
            before = self.step_cpu_started - loop.cpu
            if self.around is not None:
                self.cpu += before
            elif loop.last is not None and loop.last.ended is not None:
                self.around = 0.0
                add(AROUND, loop.last.route, before)
            else:
                self.around = before
        try:
            return half_second(self.route, resume, value)
        finally:
            cpu_ended, ended = thread_time(), perf_counter()
            cpu, length = cpu_ended - self.step_cpu_started, ended - self.step_started
            self.step_started = None
            self.cpu += cpu
            if loop is not None:
                loop.cpu, loop.last = cpu_ended, self
            if length > BLOCKED_S and length > self.longest:
                self.longest, self.longest_cpu = length, cpu

    def in_thread(self, call):
        """Give a call that is made in a thread, below the frames of the request."""
        cost = [None, None, None]  # its CPU time at its end; from its begin: where it began, and on which clock
        self.calls.append(cost)

        def run_in_thread():
            # to hand over the last call's result and to get this one costs something, too
            started = getattr(THREADS, "ended", None) or thread_time()
            cost[1:] = started, clock_id_of(threading.get_ident())
            around = CALLER.get()
            CALLER.set(self)
            try:
                return FRAMES.of_time()(self.route, call)
            finally:
                CALLER.set(around)
                THREADS.ended = thread_time()
                cost[0] = THREADS.ended - started
                if self.ended is not None:
                    self.keep()

        return run_in_thread

    def timed(self, send):
        """Add what the request took to the headers of its response; sending it counts as around it."""

        async def send_timed(message):
            if message["type"] == "http.response.start" and self.is_seen:
                try:
                    headers = message.get("headers", ())
                    told = add_timing(headers, self.tell().encode(), b"server-timing", b", ", UNSTORED)
                    calls = tell_calls(self)
                    if calls is not None:
                        told.append((CALLS_HEADER.lower().encode(), calls.encode()))
                    message = dict(message, headers=told)
                except Exception:
                    pass  # the response counts more than its measurement
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                UNDER_WAY.pop(self, None)  # nobody waits for what comes now
            step, started = self.step_started, thread_time()
            try:
                await send(message)
            finally:
                # if it had to wait, the steps report it
                if step is not None and step == self.step_started:
                    spent = thread_time() - started
                    self.cpu -= spent
                    add(AROUND, self.route, spent)

        return send_timed

    def begin_awaits(self, served):
        """Be one of the requests whose awaits are shown."""
        self.coroutine = served
        UNDER_WAY[self] = None

    def add_task(self, coroutine):
        """Remember a task that was started for the request as long as it lives."""
        try:
            if self.tasks is None:
                self.tasks = weakref.WeakValueDictionary()
            self.tasks[id(coroutine)] = coroutine
        except TypeError:
            pass  # of a kind of its own, that can't be referred to

    def is_on_a_stack(self):
        """Return whether a thread works for it now, or a call in a thread has begun."""
        return self.step_started is not None or any(
            [cost[1] is not None and cost[0] is None for cost in self.calls]
        )

    def follow_awaits(self):
        """Tell where it is suspended, outermost first, and whether it only waits for its turn."""
        places, seen, at = [], set(), self.coroutine
        for _ in range(MAX_DEPTH):
            place, following, is_ready = look_into(at)
            if place is not None and place[0].co_filename != __file__:
                places.append(place)
            if is_ready:
                return places, self.loop is not None
            if following is None:
                following = pick_task(self, places, seen)
                if following is None:
                    return places, False
            seen.add(id(following))
            at = following
        return places, False

    def waits_for_a_thread(self):
        """Return whether a call that it handed to a thread has not begun."""
        return any([cost[1] is None for cost in self.calls])

    def tell(self):
        """Report what is known: not from outside of its steps. The next response reports what is done later."""
        now, cpu_now = perf_counter(), thread_time()
        text, around = "total;dur=%.3f" % ((now - self.started) * 1000), None
        longest, longest_cpu = self.longest, self.longest_cpu
        if self.step_started is not None:
            cpu = cpu_now - self.step_cpu_started
            if self.loop is not None:
                self.told = self.count() + cpu
                text += ", cpu;dur=%.3f" % ((self.told + UNTOLD.pop(self.route, 0)) * 1000)
                around = (self.around + AROUND.pop(self.route, 0)) * 1000
            if now - self.step_started > longest:
                longest, longest_cpu = now - self.step_started, cpu
        if longest > BLOCKED_S:
            text += ", blocked;dur=%.3f, blocked-cpu;dur=%.3f" % (longest * 1000, longest_cpu * 1000)
        text += ", " + self.worker
        if around is not None:
            text += ", around;dur=%.3f" % around
        return "%s, %s" % (text, tell_time())


class Steps(collections.abc.Coroutine):
    """A coroutine whose steps are those of a request; else it is what it wraps."""

    __slots__ = ("coroutine", "resume", "run_step")

    def __init__(self, coroutine, request):
        """Wrap a coroutine, begun or not."""
        self.coroutine = coroutine
        self.resume = coroutine.send
        self.run_step = request.run_step

    def __getattr__(self, name):
        """Look like the coroutine: cr_frame, __qualname__, ..."""
        return getattr(object.__getattribute__(self, "coroutine"), name)

    def __await__(self):
        """Be awaited."""
        return self

    def __next__(self):
        """Run the next step."""
        return self.run_step(self.resume, None)

    def send(self, value):
        """Run the next step."""
        return self.run_step(self.resume, value)

    def throw(self, *error):
        """Run the next step, which begins with an error: mostly a cancellation."""
        return self.run_step(lambda _: self.coroutine.throw(*error), None)

    def close(self):
        """End at once."""
        return self.coroutine.close()


class Loop:
    """The CPU clock of an event loop's thread, and what it showed when it was read last.

    What the loop does between steps is the server's work for requests (it writes, closes, accepts, reads and
    parses), or decodes what a database sent: that of the request whose step comes next, most often it is what
    made that possible; and between the end of a request and another one or a timer, of the one that ended: what a
    large response costs is mostly done then. Timers that no request has set, with the tasks that they wake, are
    unattributed: the server's own timers, what the app does in the background.
    """

    def __init__(self, running):
        """Begin without a step."""
        self.cpu, self.last = thread_time(), None
        self.call_soon = running.call_soon
        if hasattr(running, "_add_writer"):  # not uvloop's
            running._add_writer = functools.partial(self.add_writer, running._add_writer)
        for name in ("call_later", "call_at"):
            setattr(running, name, functools.partial(self.schedule, getattr(running, name)))

    def schedule(self, schedule, when, callback, *args, **options):
        """Set a timer; one of these calls may make the other one."""
        request = REQUEST.get()
        if (request is None or request.is_over()) and callback != self.run_timer:
            return schedule(when, self.run_timer, callback, *args, **options)
        return schedule(when, callback, *args, **options)

    def add_writer(self, add_writer, fd, callback, *args):
        """Write what a socket could not take at once for the request in whose context it was sent."""
        request = REQUEST.get()
        if request is None or request.is_over():
            return add_writer(fd, callback, *args)
        return add_writer(fd, self.run_writer, request.route, callback, *args)

    def run_writer(self, route, callback, *args):
        """Write, around a request; what comes before and after it is between steps."""
        started = thread_time()
        try:
            callback(*args)
        finally:
            spent = thread_time() - started
            add(AROUND, route, spent)
            self.cpu += spent

    def run_timer(self, callback, *args):
        """Run a timer; neither it nor the task that it wakes counts for a request."""
        if self.last is not None:
            add(AROUND, self.last.route, thread_time() - self.cpu)
            self.last = None
        try:
            callback(*args)
        finally:
            self.skip()
            self.call_soon(self.skip)

    def skip(self):
        """Count what ran since the last step for no request."""
        self.cpu = thread_time()

    def run_other(self, resume, value):
        """Resume a coroutine that no request has started, and let none pay for it."""
        try:
            return resume(value)
        finally:
            self.skip()


class OtherSteps(Steps):
    """A coroutine of a task that no request has started."""

    def __init__(self, coroutine, loop):
        """Wrap a coroutine."""
        self.coroutine = coroutine
        self.resume = coroutine.send
        self.run_step = loop.run_other


def follow_tasks():
    """Run the tasks that requests start below their frames, too; None where there is no asyncio."""
    asyncio = sys.modules.get("asyncio")
    try:
        running = asyncio.get_running_loop()
    except Exception:
        return None
    factory = running.get_task_factory()
    known = getattr(factory, "loadflame_loop", None)
    if known is not None:
        return known
    known = Loop(running)

    def start_task(loop, coroutine, **options):
        request, maker = REQUEST.get(), None
        if request is not None and not request.is_over():
            request.add_task(coroutine)
            maker = MAKER.set(find_maker(coroutine, sys._getframe(1)))
            coroutine = Steps(coroutine, request)
        elif not is_of_server(coroutine):
            coroutine = OtherSteps(coroutine, known)
        try:
            if factory is None:
                return asyncio.Task(coroutine, loop=loop, **options)
            return factory(loop, coroutine, **options)
        finally:
            if maker is not None:
                MAKER.reset(maker)

    start_task.loadflame_loop = known
    running.set_task_factory(start_task)
    return known


def is_of_server(coroutine):
    """Tell whether a task is one of the server, by the module of its coroutine."""
    frame = getattr(coroutine, "cr_frame", None)
    return frame is not None and frame.f_globals.get("__name__", "").startswith(SERVERS)


def follow_threads():
    """Run what requests hand to threads below their frames: `def` endpoints, asyncio.to_thread, Django."""
    from concurrent.futures import ThreadPoolExecutor

    submit = ThreadPoolExecutor.submit
    if getattr(submit, "is_loadflame", False):
        return

    def submit_followed(self, call, /, *args, **kwargs):
        return submit(self, follow_call(functools.partial(call, *args, **kwargs)))

    submit_followed.is_loadflame = True
    ThreadPoolExecutor.submit = submit_followed
    try:
        from anyio import to_thread
    except ImportError:
        return
    run_sync = to_thread.run_sync

    def run_sync_followed(call, *args, **options):
        return run_sync(follow_call(functools.partial(call, *args)), **options)

    to_thread.run_sync = functools.wraps(run_sync)(run_sync_followed)


def follow_call(call):
    """Give a call that is made in a thread: as one of the request, or so that none pays for it."""
    request = REQUEST.get()
    return run_outside(call) if request is None or request.is_over() else request.in_thread(call)


def read_clock(started, clock):
    """Return the CPU time of another thread since then: 0 before, and where that cannot be read."""
    try:
        return time.clock_gettime(clock) - started
    except (OSError, TypeError):
        return 0.0


def run_outside(call):
    """Give a call for which no request pays."""

    def run_other():
        try:
            return call()
        finally:
            THREADS.ended = thread_time()

    return run_other


# -- what suspended requests wait for

AWAIT_FILE = "<loadflame await>"
RUNNING_FILE = "<loadflame running>"
QUEUED = "submit (concurrent/futures/thread.py)"
SHOWN_AT_ONCE = 4
SHOWN_S = 0.2  # in the mean
# of a chain of awaits, the innermost ones, and how far it is followed at all
MAX_SHOWN = 24
MAX_DEPTH = 100
# the recorder for Python 3.15 reads 1,024 characters of a name, py-spy 4,095
MAX_TEXT = 1000
MAX_TEXTS = 2000
# pip also puts scripts beside Python; some are modules (bottle.py), and the server finds them there first
LIBRARY = re.compile(
    r"[/\\](?:(?:site|dist)-packages|lib(?:64)?[/\\]python3[.\d]*t?)[/\\]|^<frozen |^%s[/\\](?:bin|Scripts)[/\\]"
    % re.escape(sys.prefix)
)
# who waits here waits for tasks of its own, if it has some: a file and a function; the last two are a middleware of
# Starlette and a streamed response
WAITS_FOR_TASKS = {
    ("taskgroups.py", "__aexit__"),
    ("_asyncio.py", "__aexit__"),
    ("tasks.py", "_wait"),
    ("tasks.py", "_wait_for_one"),
    ("memory.py", "receive"),
    ("base.py", "call_next"),
    ("responses.py", "listen_for_disconnect"),
}
ATTRIBUTES = (("cr_frame", "cr_await"), ("gi_frame", "gi_yieldfrom"), ("ag_frame", "ag_await"))
# requests without a response yet
UNDER_WAY = {}


@functools.lru_cache(maxsize=None)
def show_awaits_from_now_on():
    """Show what requests of this process await."""
    start, sleep = find_original("_thread", "start_new_thread"), find_original("time", "sleep")
    for part in range(SHOWN_AT_ONCE):
        start(show_awaits, (sleep, part))


def find_original(module, name):
    """Give what a module had before gevent or eventlet put something else in its place."""
    gevent, eventlet = sys.modules.get("gevent.monkey"), sys.modules.get("eventlet.patcher")
    if eventlet is not None:
        return getattr(eventlet.original(module), name)
    return getattr(sys.modules[module], name) if gevent is None else gevent.get_original(module, name)


def show_awaits(sleep, part):
    """Sleep below frames that tell of a request that is suspended, then of another one."""
    while True:
        try:
            frames = pick_awaits(part)
        except Exception:
            frames = []  # it has changed meanwhile
        # never in step with a load that has a beat: arrivals are mostly so many per second
        call = (sleep, SHOWN_S * (0.5 + random()))
        for one in reversed(frames):
            call = (one, *call)
        call[0](*call[1:])


def pick_awaits(part):
    """Give the frames to be shown of a request that is under way; none of one that a thread works for.

    Each thread picks from a part of its own of the requests, which are in the order of their arrival: those
    that hold a lock are mostly the oldest, so fewer looks tell their share.
    """
    requests = list(UNDER_WAY)
    # the threads together stand for all of them, in the mean: by powers of two, which are few names
    exact, count = len(requests) / SHOWN_AT_ONCE, 1
    while count < exact:
        count *= 2
    if random() * (count - count // 2) >= exact - count // 2:
        count //= 2
    if count == 0:
        return []
    request = requests[int((part + random()) / SHOWN_AT_ONCE * len(requests))]
    if request.is_on_a_stack():
        return []
    places, is_ready = request.follow_awaits()
    if not places:
        return []
    texts = [str(count), request.route.__code__.co_name]
    texts += [tell_place(*place) for place in choose_places(places)[-MAX_SHOWN:]]
    if is_ready:
        texts.append("running (%s)" % RUNNING_FILE)
    elif request.waits_for_a_thread() and is_awaited_by_app(places[-1][0]):
        texts.append(QUEUED)
    return [FRAMES.of_time(), *map(frame_of_awaits, join_texts(texts))]


def is_awaited_by_app(code):
    """Return whether such a place awaits a bare future: a driver's own wait is for something else."""
    at = (os.path.basename(code.co_filename), code.co_name)
    return at == ("tasks.py", "wait_for") or not LIBRARY.search(code.co_filename)


def choose_places(places):
    """Leave out what stands between the app's own places: frameworks, and how tasks are waited for."""
    own = [at for at, (code, _) in enumerate(places) if not LIBRARY.search(code.co_filename)]
    return [places[at] for at in own] + places[own[-1] + 1 :] if own else places


def join_texts(texts):
    """Put as many into a name as a profiler reads of one; all but the first begin with a tab."""
    joined = [""]
    for text in texts:
        if len(joined[-1]) + len(text) > MAX_TEXT:
            joined.append("")
        joined[-1] += "\t" + text if joined != [""] else text
    return joined


def look_into(at):
    """Tell where something awaitable stands, what that awaits in turn, and whether it could go on."""
    while isinstance(at, Steps):
        at = at.coroutine
    for frame_name, await_name in ATTRIBUTES:
        own = getattr(at, frame_name, None)
        if own is not None:
            following = getattr(at, await_name)
            # it has not begun, or goes on at the next turn of the loop
            return (own.f_code, own.f_lineno), following, following is None
    if hasattr(at, "get_coro"):
        return None, None if at.done() else at.get_coro(), at.done()
    if hasattr(at, "done"):
        # gather() waits for all of them
        waiting = [child for child in getattr(at, "_children", ()) if not child.done()]
        return None, waiting[int(random() * len(waiting))] if waiting else None, at.done()
    # the iterator of a future, the step of a generator: it holds what it stands for
    for held in gc.get_referents(at):
        if hasattr(held, "done") or any([hasattr(held, name) for name, _ in ATTRIBUTES]):
            return None, held, False
    return None, None, False


def pick_task(request, places, seen):
    """Give a task for which such a place waits: the newest for wait_for() of old, else any one."""
    names = [(os.path.basename(code.co_filename), code.co_name) for code, _ in places[-4:]]
    is_newest = names[-1:] == [("tasks.py", "wait_for")] and sys.version_info < (3, 12)
    if request.tasks is None or not (is_newest or WAITS_FOR_TASKS.intersection(names)):
        return None
    tasks = [
        task
        for task in request.tasks.values()
        if id(task) not in seen and any([getattr(task, name, None) for name, _ in ATTRIBUTES])
    ]
    if not tasks:
        return None
    return tasks[-1 if is_newest else int(random() * len(tasks))]


@functools.lru_cache(maxsize=MAX_TEXTS)
def tell_place(code, line):
    """Tell where a coroutine stands as py-spy does."""
    name = getattr(code, "co_qualname", code.co_name)
    file = shorten_path(code.co_filename)
    return ("%s (%s:%d)" % (name[:MAX_NAME], file, line or 0)).replace(";", "\\x3b")


def shorten_path(path):
    """Name a file below the innermost folder that is no package."""
    folder = os.path.dirname(path)
    while os.path.dirname(folder) != folder and os.path.exists(folder + "/__init__.py"):
        folder = os.path.dirname(folder)
    return path[len(folder) :].lstrip("/")[-MAX_NAME:]


@functools.lru_cache(maxsize=MAX_TEXTS)
def frame_of_awaits(text):
    """Return a frame with that name; one is enough, because each costs a profiler time."""
    return make_frame(text, AWAIT_FILE)


# -- calls: what requests ask of databases and of other services

CALLS_HEADER = "Loadflame-Calls"
MAX_CALLS = 500  # of one process
MAX_TOLD = 40  # of one response
# nginx refuses a response whose headers have more than 4 kB; names get what the calls leave of it
MAX_HEADER = 3000
MAX_TOLD_CHARS = 2000
MAX_RAW = 10000
SQL_HALVES = (495, 360, 240, 120, 50)
MAX_DEPTHS = 4
MAX_MAKERS = 8  # frames between the line of the app that makes a task and its making
NAMED_EACH_S = 2
POOL_WAIT_S = 0.0002
BIN = math.log(1.1)
LOCK = threading.Lock()
POOL = object()
# the beginning and the end of transactions are no statements, nor is what a pool resets
CONTROL = re.compile(
    r"[\s(]*(?:BEGIN|COMMIT|END|ROLLBACK|START\s+TRANSACTION|SAVEPOINT|RELEASE|ABORT)\b|SELECT pg_advisory_unlock_all\(\)",
    re.IGNORECASE,
)
SKIP = object()


def find_owner(attribute):
    """Give who waits for modules already and has such an attribute, or None: this file may be loaded twice."""
    owners = [getattr(finder, "loadflame_owner", None) for finder in sys.meta_path]
    return next((owner for owner in owners if hasattr(owner, attribute)), None)


# all copies of this file in a process have it in common
SHARED = find_owner("late") or types.SimpleNamespace(
    caller=contextvars.ContextVar("loadflame_caller", default=None), late={}
)
CALLER = SHARED.caller  # the request under way
LATE = SHARED.late  # route -> what was asked after the headers of its responses
MAKER = contextvars.ContextVar("loadflame_maker", default=None)  # place of the app that made the task under way
INSIDE = contextvars.ContextVar("loadflame_inside", default=None)  # the call under way: whose, since when


class Ledger:
    """What a request has asked."""

    __slots__ = ("times", "entries")

    def __init__(self):
        """Begin."""
        self.times = []  # (call, POOL, or None for one of too many; seconds; rows; whether a transaction was open)
        self.entries = {}  # call -> [executions, us, rows, us in transactions, {bin: executions}]

    def fold(self):
        """Sum the times up; threads of one request add to them at any moment."""
        with LOCK:
            while self.times:
                call, seconds, rows, is_open = self.times.pop()
                entry = self.entries.get(call)
                if entry is None:
                    entry = self.entries[call] = [0, 0, None, 0, {}]
                us = int(seconds * 1e6)
                entry[0] += 1
                entry[1] += us
                if rows is not None:
                    entry[2] = (entry[2] or 0) + rows
                if is_open:
                    entry[3] += us
                size = int(math.log(us or 1) / BIN + 0.5)
                entry[4][size] = entry[4].get(size, 0) + 1

    def tell(self, late):
        """Give the value of the header, with what was asked late."""
        self.times += late.times
        self.fold()
        waits, more = self.entries.pop(POOL, [0, 0])[:2], self.entries.pop(None, [0, 0])[:2]
        entries = list(self.entries.items()) + list(late.entries.items())
        texts, chars, named, now = {}, 0, [], perf_counter()
        for call, (count, us, rows, open_us, sizes) in sorted(entries, key=lambda entry: -entry[1][1]):
            bins = ",".join(["[%d,%d]" % one for one in sorted(sizes.items())])
            shown = "null" if rows is None else rows
            kind = getattr(call, "kind", "sql")
            tail = "" if kind == "sql" else ',"%s"' % kind
            text = '["%s",%d,%d,%s,%d,[%s]%s]' % (getattr(call, "id", ""), count, us, shown, open_us, bins, tail)
            if type(call) is not Call or call in texts or len(texts) == MAX_TOLD or chars + len(text) > MAX_TOLD_CHARS:
                more = [more[0] + count, more[1] + us]
                continue
            texts[call] = text
            chars += len(text) + 1
            if now - call.named_at > NAMED_EACH_S:
                named.append(call)
        parts = ['"calls":[%s]' % ",".join(texts.values())]
        parts += ['"%s":[%d,%d]' % (name, *sums) for name, sums in (("pool", waits), ("more", more)) if sums[0]]
        chars, names = sum(map(len, parts)) + 20, []
        for call in sorted(named, key=lambda call: call.named_at):
            chars += len(call.named) + 1
            if chars > MAX_HEADER:
                break
            call.named_at = now
            names.append(call.named)
        return "{%s}" % ",".join(parts + (['"named":{%s}' % ",".join(names)] if names else []))


def tell_calls(caller):
    """Give what a request asked, and what others of its route asked late, as a header; None: nothing."""
    try:
        ledger, caller.ledger = caller.ledger, False
        late = LATE.pop(caller.route, None) if LATE and ledger is not False else None
        if ledger is False or ledger is None and late is None:
            return None
        return (ledger or Ledger()).tell(late or Ledger())
    except Exception:
        return None


def is_over(caller):
    """Return whether what still runs in the name of a request no longer belongs to it."""
    return caller.ended is not None and perf_counter() - caller.ended > LINGER_S


def count_call(caller, call, seconds, rows=None, is_open=False):
    """Remember a call for the next response that can report it: False where the request's own has done so."""
    ledger = caller.ledger
    if ledger is None:
        with LOCK:
            ledger = caller.ledger = caller.ledger or Ledger()
    elif ledger is False:
        ledger = LATE.setdefault(caller.route, Ledger())
    ledger.times.append((call, seconds, rows, is_open))
    if len(ledger.times) > MAX_CALLS:
        ledger.fold()


class Call:
    """A statement, or a kind of request to another service, by the line of the app that makes it."""

    __slots__ = ("id", "kind", "named", "named_at")

    def __init__(self, kind, system, text, place, relation):
        """Name it; place: file, line and function, or None."""
        import hashlib
        import json

        values = (kind, system, text, *(place or (None, None, None)), relation)
        self.id = hashlib.sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:8]
        self.kind = kind
        told = dict(zip(("kind", "system", "text", "file", "line", "function", "relation"), values))
        self.named_at = -math.inf
        for half in SQL_HALVES:
            if len(text) > 2 * half + 10:  # of a long one, columns in the middle say least
                told["text"] = "%s ... %s" % (text[:half], text[-half:])
            self.named = '"%s":%s' % (self.id, json.dumps(told, separators=(",", ":")))
            if len(self.named) < MAX_HEADER - MAX_TOLD_CHARS - 50:
                break


CALLS = {}  # id -> call
FOUND = {}  # system, text as it is executed, and where -> call
DEPTHS = {}  # text -> how far away the app's own line was


def find_call(kind, system, raw):
    """Give the call for a text that is executed now; None: one too many; SKIP: no statement."""
    if type(raw) is not str:
        raw = read_text(raw)
    if len(raw) > MAX_RAW:
        raw = raw[: raw.rfind(",", 0, MAX_RAW)]
    for depth in DEPTHS.get(raw, ()):  # most often it is there again: to follow the stack costs much more
        try:
            frame = sys._getframe(depth)
        except ValueError:
            continue
        code = frame.f_code
        call = FOUND.get((system, raw, depth, code.co_filename, code.co_firstlineno, frame.f_lasti), SHARED)
        if call is not SHARED:
            return call
    place, telling, depth = find_place(sys._getframe())
    key = (system, raw, place)
    if hasattr(place, "f_code"):
        code = place.f_code
        key = (system, raw, depth, code.co_filename, code.co_firstlineno, place.f_lasti)
        place = place_of_code(code, place.f_lineno)
    call = FOUND.get(key, SHARED)
    if call is not SHARED:
        return call
    if kind == "sql" and CONTROL.match(raw):
        call = SKIP
    else:
        text = normalise(raw, system) if kind == "sql" else raw
        call = Call(kind, system, text, place, read_relation(telling))
        call = CALLS.get(call.id) or (CALLS.setdefault(call.id, call) if len(CALLS) < MAX_CALLS else None)
    if len(FOUND) >= 2 * MAX_CALLS:
        FOUND.clear()
        DEPTHS.clear()
    FOUND[key] = call
    depths = DEPTHS.setdefault(raw, [])
    if len(depths) < MAX_DEPTHS and depth is not None and depth not in depths:
        depths.append(depth)
    return call


def read_text(raw):
    """Give the text of a statement, in any form that drivers take."""
    if isinstance(raw, (bytes, bytearray)):
        return bytes(raw[: 2 * MAX_RAW]).decode("utf-8", "replace")
    return raw.as_string(None) if hasattr(raw, "as_string") else str(raw)  # psycopg's sql.Composed


def place_of_code(code, line):
    """Name a line of code as profiles do."""
    return shorten_path(code.co_filename), line, getattr(code, "co_qualname", code.co_name)[:MAX_NAME]


# -- the app's own line, and the relation that is loaded there


def relation_of_loader(loader):
    """Name the relation, or the deferred column, that SQLAlchemy loads."""
    return "%s.%s" % (loader.parent.class_.__name__, loader.key)


def relation_of_descriptor(descriptor):
    """Name the relation of Django that an attribute of an object loads."""
    field = getattr(descriptor, "field", None)
    return name_reverse(descriptor.related) if field is None else "%s.%s" % (field.model.__name__, field.name)


def name_reverse(related):
    """Name a relation of Django by the model that has no column for it."""
    return "%s.%s" % (related.model.__name__, related.get_accessor_name())


def relation_of_queryset(queryset):
    """Name the relation of Django that a manager of an object loads."""
    for field in queryset._known_related_objects:
        return name_reverse(field.remote_field)
    owner = type(queryset._hints["instance"])
    many = [one for one in owner._meta.get_fields() if one.many_to_many and one.related_model is queryset.model]
    if len(many) == 1:
        name = many[0].name if hasattr(many[0], "attname") else many[0].get_accessor_name()
        return "%s.%s" % (owner.__name__, name)
    return None


def read_relation(telling):
    """Give the name of a relation by the frames that could tell it, the innermost first; None: none of them does."""
    if any([read is None for read, _ in telling]):
        return None
    for read, frame in telling:
        try:
            return read(frame.f_locals["self"])[:MAX_NAME]
        except Exception:
            pass  # not by this relation, or a version that keeps it elsewhere
    return None


def read_place(tell, frame):
    """Give the role and the place that a frame tells; None, None: of a version that keeps it elsewhere."""
    try:
        path, line, name = tell(frame)
    except Exception:
        return None, None
    return find_role(path), (shorten_path(path), line, name[:MAX_NAME])


def place_of_class(frame):
    """Give the place of a class of the app that leaves the work to its base."""
    return find_class(type(frame.f_locals["self"]))


@functools.lru_cache(maxsize=MAX_ROUTES)
def find_class(owner):
    """Give the file, line and name of a class."""
    import inspect

    return inspect.getsourcefile(owner), inspect.getsourcelines(owner)[1], owner.__qualname__


def place_of_endpoint(frame):
    """Give the place of FastAPI's endpoint, whose response is made."""
    return find_function(frame.f_locals["dependant"].call)


def place_of_view(frame):
    """Give the place of Django's view, whose response may be rendered after it returned."""
    view = frame.f_locals["callback"]
    owner = getattr(view, "view_class", None) or getattr(view, "cls", None)  # Django's, REST framework's
    return find_class(owner) if owner else find_function(view)


def find_function(function):
    """Give the file, line and name of a function below its decorators."""
    import inspect

    code = inspect.unwrap(function).__code__
    return code.co_filename, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)


OWN, END = object(), object()
GENERIC = ("list", "retrieve", "create", "update", "partial_update", "destroy")
QUERYSET = dict.fromkeys(("_fetch_all", "count", "exists", "aggregate", "iterator"), relation_of_queryset)
# what functions in files of libraries tell: a place for which they work, or a relation (None: it is loaded for many)
TELLING = (
    ("/sqlalchemy/orm/strategies.py", False, dict.fromkeys(("_emit_lazyload", "_load_for_state"), relation_of_loader)),
    ("/django/db/models/query_utils.py", False, {"__get__": relation_of_descriptor}),
    ("/django/db/models/fields/related_descriptors.py", False, {"__get__": relation_of_descriptor}),
    ("/django/db/models/query.py", False, dict(QUERYSET, prefetch_related_objects=None)),
    ("/rest_framework/mixins.py", True, dict.fromkeys(GENERIC, place_of_class)),
    ("/rest_framework/serializers.py", True, {"to_representation": place_of_class}),
    ("/fastapi/routing.py", True, {"app": place_of_endpoint}),
    ("/django/core/handlers/base.py", True, dict.fromkeys(("_get_response", "_get_response_async"), place_of_view)),
)
VIEWS = (place_of_endpoint, place_of_view)  # around them is only middleware
ROLES = {}
PACKAGE = re.compile(r"[/\\](?:site|dist)-packages[/\\](\w+)")
# servers, frameworks, ORMs, drivers and what watches them: no package of these is an application
NO_APP = frozenset(
    "gunicorn uvicorn hypercorn granian waitress cheroot werkzeug gevent eventlet greenlet anyio asgiref a2wsgi "
    "django rest_framework ninja flask fastapi starlette aiohttp tornado falcon sanic litestar quart bottle pyramid "
    "jinja2 click pydantic marshmallow graphene graphql strawberry celery rq socketio engineio flask_socketio "
    "sqlalchemy flask_sqlalchemy sqlmodel peewee pony tortoise databases ormar alembic "
    "psycopg psycopg2 psycopg_pool asyncpg aiosqlite aiomysql pymysql MySQLdb mysql pg8000 pymssql pyodbc oracledb "
    "redis pymongo motor mongoengine requests urllib3 httpx httpcore botocore "
    "sentry_sdk opentelemetry ddtrace newrelic elasticapm wrapt whitenoise debug_toolbar psycogreen".split()
)


def find_role(path):
    """Give OWN (the app's file), END (where a request begins), what functions of the file tell, a package, or None."""
    if path in (ROUTE_FILE, TIME_FILE):
        return END
    if not path.endswith(".py") or path == __file__ or os.path.basename(path) == "loadflame_companion.py":
        return None
    if not LIBRARY.search(path):
        return OWN
    package = PACKAGE.search(path)
    if package and package[1] not in NO_APP:
        return package[1]
    path = path.replace("\\", "/")
    return next(((is_place, names) for end, is_place, names in TELLING if path.endswith(end)), None)


def role_of(code):
    """Give what find_role gives for the file of some code."""
    path = code.co_filename
    role = ROLES.get(path, ROLES)
    if role is ROLES:
        if len(ROLES) > MAX_PATHS:
            ROLES.clear()
        role = ROLES[path] = find_role(path)
    return role


def find_place(frame):
    """Find the app's innermost frame (or the code that a library works for), hints at a relation, and its depth.

    An application that is itself installed has no other frames than packages: its own is the outermost one.
    """
    telling, at, depth, packages = [], None, 0, {}
    while frame is not None:
        code = frame.f_code
        role = role_of(code)
        if role is not None:
            if role is OWN:
                return frame, telling, depth
            if role is END:
                break
            if type(role) is str:
                packages[role] = packages.pop(role, frame)  # the outermost one is the last
            elif code.co_name in role[1]:
                is_place, names = role
                tell = names[code.co_name]
                role, place = read_place(tell, frame) if is_place else (None, telling.append((tell, frame)))
                if role is OWN:
                    return place, telling, None
                if type(role) is str:
                    packages[role] = packages.pop(role, place)
                if packages and tell in VIEWS:
                    break
        frame = frame.f_back
        if depth is not None:
            depth += 1
        if frame is None:  # where another greenlet waits, the distance is not known
            at, depth = find_parent(at), None
            frame = at and at.gr_frame
    place = MAKER.get() or find_awaiting(CALLER.get()) or next(reversed([*packages.values()]), None)
    return place, telling, None


def find_awaiting(caller):
    """Give the place of FastAPI's endpoint where its response is made in a thread, or None."""
    at, place = getattr(caller, "coroutine", None), None
    for _ in range(MAX_DEPTH):
        while isinstance(at, Steps):
            at = at.coroutine
        frame = getattr(at, "cr_frame", None)
        if frame is None or place is not None:
            break
        role = find_role(frame.f_code.co_filename)
        if type(role) is tuple and frame.f_code.co_name in role[1]:
            _, place = read_place(role[1][frame.f_code.co_name], frame)
        at = at.cr_await
    return place


def find_maker(coroutine, frame):
    """Find the line of the app that makes a task of a library's coroutine, whose own frames show none."""
    code = getattr(coroutine, "cr_code", None)
    if code is None or role_of(code) is OWN:
        return None
    for _ in range(MAX_MAKERS):
        role = role_of(frame.f_code)
        if role is OWN:
            return place_of_code(frame.f_code, frame.f_lineno)
        frame = frame.f_back
        if frame is None or role is END:
            break
    return MAKER.get()


def find_parent(at):
    """Give the greenlet that waits for one of SQLAlchemy's: in it runs the app's coroutine."""
    greenlet = sys.modules.get("greenlet")
    own = greenlet and (at or greenlet.getcurrent())
    return own.parent if own and type(own).__module__.startswith("sqlalchemy.") else None


# -- statements without their values

LITERAL = r"""'[^'\\]*(?:(?:''|\\[^'])[^'\\]*)*'(?![\w'])"""  # a backslash before a quote leaves it in doubt
PLAIN_LITERAL = r"""'[^']*(?:''[^']*)*'(?![\w'])"""  # but not where it is a character as any other
SCANNER = r"""
    (?P<comment>COMMENT|/\*(?:(?!/\*|\*/).)*\*/)
    |(?P<value>(?<![\w$])(?:[eExXbBnNrR]|[uU]&|_\w+\s?|(?i:date|time|timestamp|interval))?LITERAL
        |(?<![\w$])\$(?P<tag>[^\W\d]\w*|)\$.*?\$(?P=tag)\$(?!\w)
        |%\([^)]*\)[sbt]|%[sbt](?!\w)|(?<![\w$])\$\w+(?![\w$])|(?<![:\w]):\w+|\?\d*
        |(?<![\w$])\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
    |(?P<name>`(?:[^`]|``)*`NAME)
    |(?P<cut>(?:['"`]|/\*|\$\w*\$CUT).*)
"""
ANSI = ("postgresql", "sqlite", "oracle", "mssql")  # what is in double quotes is a name
PLAIN = ("sqlite", "oracle", "mssql")
BRACKETS = ("sqlite", "mssql")
PLAIN_NAME = re.compile(r'["`\[][^\W\d][\w$]{0,62}["`\]]\Z')
SQL_TOKEN = re.compile(r'"[^"]*"|`[^`]*`|\[[^\]\[]*\]|[\w$?]+|[<>=!]+|\S')
CLAUSES = frozenset("SELECT FROM WHERE SET INTO CONFLICT USING VALUES BY ON HAVING LIMIT RETURNING UNION INTERSECT EXCEPT ;".split())
NAME_AFTER = frozenset("FROM JOIN INTO UPDATE TABLE INDEX VIEW AS REFERENCES COLLATE WITH RECURSIVE".split())
CONDITION_AFTER = frozenset("WHERE AND OR ON NOT HAVING WHEN (".split())
COMPARE = frozenset("= == <> != < > <= >= IS NOT LIKE GLOB IN BETWEEN (".split())
END_OF_ITEM = frozenset(", ) ; FROM AS ASC DESC NULLS LIMIT HAVING ORDER".split() + [""])
DOUBT = re.compile(r"""['"`$\[#=<>(]|--|/\*|\b(?:WHERE|VALUES|SET|ON|HAVING)\b""", re.IGNORECASE)
TUPLE = r"\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)"
ITEM = r"(?:[-+]?\?[^(),]*(?:\([^()]*\)[^(),]*)?|\([^()]*\)|NULL)"
# lists of any length are one statement; of a statement that is too long, the last one has no end
FOLDED = [
    (re.compile(pattern.replace("LIST", "%s(?: ?, ?%s)*" % (ITEM, ITEM)), re.IGNORECASE), by)
    for pattern, by in (
        (r"(\b(?:IN|ANY|ALL) ?\() ?LIST(?: ?\)|[^()]*\Z)", r"\1?)"),
        (r"(\bARRAY ?\[) ?LIST ?\]", r"\1?]"),
        (r"(\bVALUES ?%s)(?: ?, ?%s)+(?: ?, ?\([^)]*\Z)?" % (TUPLE, TUPLE), r"\1"),
        (r"(\bWHEN [^?]{0,200}\?[^?]{0,50}\?)(?: \1)+", r"\1"),
    )
]


@functools.lru_cache(maxsize=None)
def scanner_of(system):
    """Make the scanner for a system's SQL; where systems differ, one that is unknown leaves it in doubt."""
    is_mysql, is_ansi, has_brackets = system in ("mysql", "mariadb"), system in ANSI, system in BRACKETS
    parts = {
        "COMMENT": r"--[^\n\r]*(?:\r?\n|\Z)" if is_ansi else r"--(?=\s|\Z)[^\n]*" + (r"|\#[^\n]*" if is_mysql else ""),
        "CUT": "" if is_mysql else r"|--" + (r"|\[" if has_brackets else "" if is_ansi else r"|\#"),
        "NAME": (r'|"(?:[^"]|"")*"' if is_ansi else "") + (r"|\[[^\]\[]*\]" if has_brackets else ""),
        "LITERAL": PLAIN_LITERAL if system in PLAIN else LITERAL if is_ansi else "(?:%s|%s)" % (LITERAL, LITERAL.replace("'", '"')),
    }
    pattern = re.sub("|".join(parts), lambda match: parts[match[0]], SCANNER)
    return re.compile(pattern, re.VERBOSE | re.DOTALL)


def normalise(raw, system):
    """Give a statement without values, comments and the length of its lists; where it is in doubt, its beginning."""
    kinds = set()

    def replace(match):
        kind = match.lastgroup
        kinds.add(kind)
        if kind == "name" and (system == "postgresql" or may_be_name(match)):
            return match[0]
        return " " if kind == "comment" else "?"

    text = scanner_of(system).sub(replace, raw)
    if "cut" in kinds:
        return (normalise(raw[: DOUBT.search(raw).start()], system) + " ...").strip()
    text = " ".join(text.split())
    if system != "postgresql":
        text = drop_quoted(text)
    for pattern, folded in FOLDED:
        text = pattern.sub(folded, text)
    return text


def may_be_name(match):
    """Return whether something in quotes may be a name."""
    text, (start, end) = match.string, match.span()
    is_part = text[start - 1 : start] == "." or text[end : end + 1] == "."
    return is_part or match[0][0] == "`" or PLAIN_NAME.match(match[0]) is not None


def drop_quoted(text):
    """Keep what is in double quotes only where a name is expected: SQLite takes one that it does not know for a value."""
    found = list(SQL_TOKEN.finditer(text))
    words, kept = [one[0].upper() for one in found] + [""] * 5, set()
    stack, clause, listed, is_between = [], "", [], False  # of these parentheses; items of a SELECT before its FROM
    for at, word in enumerate(words[: len(found)]):
        before, after = words[at - 1], words[at + 1]
        if word == "(":
            stack.append((clause, listed, is_between))
            is_of_names = clause in ("INTO", "CONFLICT", "USING")
            clause = "NAMES" if is_of_names else before if before in CONDITION_AFTER else ""
            listed, is_between = [], False
        elif word == ")" and stack:
            clause, listed, is_between = stack.pop()
        elif word in CLAUSES and before != ".":
            if word == "FROM" and before == "DISTINCT":  # IS DISTINCT FROM
                words[at] = "="
                continue
            kept.update(listed if word == "FROM" else ())
            clause, listed, is_between = word, [], False
        elif word == "BETWEEN":
            is_between = True
        elif word == "AND" and is_between:
            words[at], is_between = "BETWEEN", False
        elif word[0] != '"':
            continue
        elif "." in (before, after) or before in NAME_AFTER:
            kept.add(at)
        elif before in CONDITION_AFTER and after in COMPARE and clause not in ("NAMES", ""):
            value = at + 2
            while words[value] in COMPARE:
                value += 1
            if words[value][:1] in ("?", '"') or words[value] == "NULL":
                kept.add(at)
        elif before in (clause, ",", "(", "DISTINCT"):
            if clause == "SELECT" and after in END_OF_ITEM:
                listed.append(at)
            elif clause in ("NAMES", "FROM") or clause == "SET" and after == "=":
                kept.add(at)
            elif clause in ("BY", "RETURNING") and after in END_OF_ITEM:
                kept.add(at)
    made = [one[0] if at in kept or one[0][0] != '"' else "?" for at, one in enumerate(found)]
    gaps = [text[one.end() : after.start()] for one, after in zip(found, found[1:])] + [""]
    return "".join([part for pair in zip(made, gaps) for part in pair])


# -- where calls are made


# names of frames around calls: whose time it is where a driver of C has no frame of its own
QUERY_FRAME, REQUEST_FRAME = "followed_query", "followed_request"


def follow(owner, name, begin, end, frame_name=QUERY_FRAME):
    """Call begin(request, self, args, options) before a method, and end(begun, seconds, self, result) if it was begun."""
    original = getattr(owner, name)
    if getattr(original, "is_loadflame", False):
        return  # a class that inherits it


    def end_safely(begun, seconds, self, result):
        try:
            end(begun, seconds, self, result)
        except Exception:
            pass

    async def wait(begun, self, made):
        result, before = None, INSIDE.get()
        INSIDE.set(begun)
        started = perf_counter()
        try:
            result = await made
            return result
        finally:
            end_safely(begun, perf_counter() - started, self, result)
            INSIDE.set(before)

    @functools.wraps(original)
    def followed(self, *args, **options):
        caller, before, begun = CALLER.get(), INSIDE.get(), None
        # no request, or another library makes the call for one that is counted
        if caller is not None and (before is None or before[0] is not caller):
            try:
                begun = begin(caller, self, args, options)
            except Exception:
                pass
        if begun is None:
            return original(self, *args, **options)
        result, is_over = None, True
        INSIDE.set(begun)
        started = perf_counter()
        try:
            result = original(self, *args, **options)
            is_over = type(result) is not types.CoroutineType
            return result if is_over else wait(begun, self, result)
        finally:
            if is_over:
                end_safely(begun, perf_counter() - started, self, result)
            INSIDE.set(before)

    for function in (wait, followed):
        function.__code__ = rename(function.__code__, frame_name)
    followed.is_loadflame = True
    setattr(owner, name, followed)


def follow_calls_of(owner, names, describe, is_dialect=False, frame_name=QUERY_FRAME):
    """Count the calls of methods; describe(self, args, options) gives kind, system and text."""

    def begin(caller, self, args, options):
        told = None if is_over(caller) else describe(self, args, options)
        call = SKIP if told is None else find_call(*told)
        return None if call is SKIP else (caller, call, args[0] if is_dialect else self)

    def end(begun, seconds, _self, result):
        caller, call, cursor = begun
        if call is None or call.kind != "sql":
            return count_call(caller, call, seconds, None, is_transaction_open(caller))
        count_call(caller, call, seconds, count_rows(cursor, result))
        remember(caller, getattr(cursor, "connection", None) or getattr(cursor, "_connection", cursor))

    for name in names:
        if hasattr(owner, name):
            follow(owner, name, begin, end, frame_name)


def follow_waits_of(owner, name):
    """Count how long a method waits for a connection of a pool."""

    def end(begun, seconds, _self, _result):
        if seconds > POOL_WAIT_S:
            count_call(begun[1], POOL, seconds)

    # what is called meanwhile counts by itself
    follow(owner, name, lambda caller, *_: (None, caller), end)


def count_rows(cursor, result):
    """Give the number of rows, where it is known."""
    if type(result) is list:
        return len(result)
    rows = getattr(cursor, "rowcount", None)
    if type(rows) is int and rows >= 0:
        return rows
    fetched = getattr(cursor, "_rows", None)  # by SQLAlchemy for a driver of asyncio
    return len(fetched) if type(fetched) is collections.deque else None


OWNERS = {}  # id of a driver's connection -> when its last request began, and the connection


def remember(caller, connection):
    """Remember who used a connection last."""
    known = OWNERS.get(id(connection))
    if known is None or known[0] != caller.started:
        if len(OWNERS) > MAX_CALLS:
            OWNERS.clear()
        OWNERS[id(connection)] = (caller.started, type(None))  # some of C can't be referred to
        OWNERS[id(connection)] = (caller.started, weakref.ref(connection))


def is_transaction_open(caller):
    """Return whether a transaction of a request is open."""
    connections = [refer() for started, refer in list(OWNERS.values()) if started == caller.started]
    return any([has_transaction(one) for one in connections if one is not None])


def has_transaction(connection):
    """Return what a driver knows: sqlite3 and aiosqlite, asyncpg, psycopg and psycopg2, PyMySQL."""
    told = getattr(connection, "in_transaction", getattr(connection, "is_in_transaction", None))
    if told is not None:
        return bool(told() if callable(told) else told)
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    return status in (1, 2, 3) if status is not None else bool(getattr(connection, "server_status", 0) & 1)


def describe_sql(system):
    """Describe statements that are given to a driver of a system."""

    def describe(_self, args, options):
        return "sql", system, args[0] if args else next(iter(options.values()))

    return describe


EXECUTE = ("execute", "executemany")
FETCH = (*EXECUTE, "fetch", "fetchrow", "fetchval", "fetchmany")


def of_sqlalchemy(sqlalchemy):
    """Count what any engine executes (events of engines cost three times as much), and waits for its pool."""
    from sqlalchemy.engine.default import DefaultDialect
    from sqlalchemy.util import queue

    names = ("do_execute", "do_execute_no_params", "do_executemany")
    follow_calls_of(DefaultDialect, names, lambda self, args, _: ("sql", self.name, args[1]), is_dialect=True)
    for kind in (queue.Queue, queue.AsyncAdaptedQueue):
        follow_waits_of(kind, "get")


def of_sqlite3(sqlite3):
    """Count statements; connections are of a class of this file, because C's can't be changed."""
    original = sqlite3.connect

    class Cursor(sqlite3.Cursor):
        pass

    class Connection(sqlite3.Connection):
        def cursor(self, factory=Cursor):
            return sqlite3.Connection.cursor(self, factory)

        def execute(self, *args):
            return self.cursor().execute(*args)

        def executemany(self, *args):
            return self.cursor().executemany(*args)

        def executescript(self, *args):
            return self.cursor().executescript(*args)

    def connect(*args, **options):
        if len(args) < 6:
            options.setdefault("factory", Connection)
        return original(*args, **options)

    for kind in (Cursor, Connection):
        kind.__module__, kind.__qualname__ = "sqlite3", kind.__name__
    follow_calls_of(Cursor, (*EXECUTE, "executescript"), describe_sql("sqlite"))
    sqlite3.connect = sqlite3.dbapi2.connect = functools.wraps(original)(connect)


def of_psycopg2(psycopg2):
    """Count statements; a connection makes cursors of a class of this file unless it is given another one."""
    from psycopg2 import extensions, extras

    original = psycopg2.connect

    class Cursor(extensions.cursor):
        pass

    def connect(*args, **options):
        made = original(*args, **options)
        if getattr(made, "cursor_factory", made) in (None, extensions.cursor):
            made.cursor_factory = Cursor
        return made

    Cursor.__module__, Cursor.__name__ = "psycopg2.extensions", "cursor"
    for owner in (Cursor, extras.DictCursor, extras.RealDictCursor, extras.NamedTupleCursor):
        follow_calls_of(owner, EXECUTE, describe_sql("postgresql"))
    psycopg2.connect = functools.wraps(original)(connect)


def of_asyncpg(asyncpg):
    """Count prepared statements, and waits for connections."""
    from asyncpg.prepared_stmt import PreparedStatement

    follow_calls_of(PreparedStatement, FETCH, lambda self, *_: ("sql", "postgresql", self._query))
    follow_waits_of(asyncpg.pool.Pool, "_acquire")


def of_aiosqlite(aiosqlite):
    """Count statements, which run in a thread of the connection."""
    names = (*EXECUTE, "executescript", "_execute_insert", "_execute_fetchall")

    def describe(_self, args, _options):
        return ("sql", "sqlite", args[1]) if args[0].__name__ in names else None

    follow_calls_of(aiosqlite.Connection, ["_execute"], describe)


def of_redis(client):
    """Count commands and pipelines, without their keys."""

    def describe(self, args, _options):
        known = self.connection_pool.connection_kwargs
        name = args[0].decode() if isinstance(args[0], bytes) else str(args[0])
        name = name.split()[0].upper() if re.match(r"[A-Za-z_.]{1,30}(?: |\Z)", name) else "OTHER"
        return "redis", "redis", "%s %s" % (name, name_host(known.get("host", "localhost"), known.get("port")))

    follow_calls_of(client.Redis, ["execute_command"], describe)
    follow_calls_of(client.Pipeline, ["execute"], lambda self, *_: describe(self, ["PIPELINE"], None))


def of_pymongo(pymongo):
    """Count commands, by what pymongo itself reports of them."""
    places = {}

    class Listener(pymongo.monitoring.CommandListener):
        def started(self, event):
            if CALLER.get() is not None:
                if len(places) > MAX_CALLS:
                    places.clear()
                name = event.command.get(event.command_name)
                places[event.request_id] = " " + fold_path(name) if isinstance(name, str) else ""

        def succeeded(self, event):
            try:
                caller, place = CALLER.get(), places.pop(event.request_id, None)
                if caller is not None and place is not None and not is_over(caller):
                    text = "%s%s %s" % (event.command_name, place, name_host(*event.connection_id))
                    call = find_call("mongodb", "mongodb", text)
                    count_call(caller, call, event.duration_micros / 1e6, None, is_transaction_open(caller))
            except Exception:
                pass

        failed = succeeded

    pymongo.monitoring.register(Listener())


FOREIGN = re.compile(r"(?<=/)(?!:id(?:/|\Z))[^/]*(?:[^\w./\-]|\d[^/]*\d[^/]*\d|[^/]{33})[^/]*", re.ASCII)
DEFAULT_PORTS = (None, 80, 443)


def name_host(host, port):
    """Name a server."""
    return host.lower() if port in DEFAULT_PORTS else "%s:%s" % (host.lower(), port)


def fold_path(path):
    """Fold what may be a value in the path of a foreign service, or in the name of a collection: more than ids."""
    return FOREIGN.sub(":id", "/" + path)[1:]


def describe_http(method, host, port, target):
    """Describe a request by its method, host and path."""
    method, path = name_route(method if method in METHODS else "OTHER", target).split(" ", 1)
    return "http", None, "%s %s%s" % (method, name_host(host, port), fold_path(path))


def describe_url(method, url):
    """Describe a request by its address."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return describe_http(method, parts.hostname or "", parts.port, parts.path or "/")


def of_urllib3(connectionpool):
    """Count requests of urllib3 and requests, until the headers of their responses."""

    def describe(self, args, options):
        method, target = (args + (options.get("url"),))[:2] if args else (options["method"], options["url"])
        return describe_http(method, self.host, self.port, target)

    follow_calls_of(connectionpool.HTTPConnectionPool, ["urlopen"], describe, frame_name=REQUEST_FRAME)


def of_httpx(httpx):
    """Count requests, redirects included."""

    def describe(_self, args, options):
        request = args[0] if args else options["request"]
        return describe_url(request.method, str(request.url))

    for owner in (httpx.Client, httpx.AsyncClient):
        follow_calls_of(owner, ["send"], describe, frame_name=REQUEST_FRAME)


def of_aiohttp(client):
    """Count requests, until the headers of their responses."""

    def describe(self, args, _options):
        return describe_url(args[0].upper(), str(self._build_url(args[1])))

    follow_calls_of(client.ClientSession, ["_request"], describe, frame_name=REQUEST_FRAME)


def of_django(utils):
    """Count what goes through the connections of Django."""
    names = ("_execute", "_executemany")
    follow_calls_of(utils.CursorWrapper, names, lambda self, args, _: ("sql", self.db.vendor, args[0]))


def of_psycopg_pool(module):
    """Count waits for connections."""
    for owner in (module.ConnectionPool, module.AsyncConnectionPool):
        follow_waits_of(owner, "getconn")


def of_driver(system, kinds, names):
    """Count what methods of classes of a module execute."""
    return lambda module: [follow_calls_of(getattr(module, kind), names, describe_sql(system)) for kind in kinds.split()]


PSYCOPG = "Cursor AsyncCursor ServerCursor AsyncServerCursor"
SOURCES = (
    ("sqlalchemy", of_sqlalchemy),
    ("django.db.backends.utils", of_django),
    ("psycopg", of_driver("postgresql", PSYCOPG, EXECUTE)),
    ("psycopg_pool", of_psycopg_pool),
    ("psycopg2", of_psycopg2),
    ("asyncpg.connection", of_driver("postgresql", "Connection", FETCH)),
    ("asyncpg", of_asyncpg),
    ("sqlite3", of_sqlite3),
    ("pymysql.cursors", of_driver("mysql", "Cursor", EXECUTE)),
    ("MySQLdb.cursors", of_driver("mysql", "BaseCursor", EXECUTE)),
    ("aiosqlite", of_aiosqlite),
    ("redis.client", of_redis),
    ("redis.asyncio.client", of_redis),
    ("pymongo", of_pymongo),
    ("urllib3.connectionpool", of_urllib3),
    ("httpx", of_httpx),
    ("aiohttp.client", of_aiohttp),
)


def follow_calls():
    """Count calls by what is loaded already, and by the rest when it is loaded; once in a process."""
    if find_owner("late") is not None:
        return

    def follow_module(name, source, module):
        try:
            source(module)
        except Exception as error:
            write_line("loadflame: calls of %s are not counted, its version is unknown: %r" % (name, error))

    waiting = {name: functools.partial(follow_module, name, source) for name, source in SOURCES}
    sys.meta_path.insert(0, Arrivals(waiting, SHARED))
    for name in list(waiting):
        if name in sys.modules:
            waiting.pop(name)(sys.modules[name])


def write_line(text):
    """Write a line to stderr with one call, because processes share it."""
    try:
        os.write(2, b"%s\n" % text.encode("utf-8", "replace"))
    except OSError:
        pass  # closed


# -- gunicorn

# workers that serve many requests at once in one thread, which share its CPU time
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
ASGI = {"uvicorn.workers", "uvicorn_worker", "uvicorn_worker._workers"}


def name_worker(ppid, pid):
    """Return the id of this worker and of its gunicorn: "1f2e3d4c.4312"."""
    import hashlib
    import socket

    text = "%s:%d" % (socket.gethostname(), ppid)
    return "%s.%d" % (hashlib.sha256(text.encode()).hexdigest()[:8], pid)


def wrap_app(worker):
    """Put the companion around the app of a worker; of other servers' workers it knows uvicorn's."""
    bases = {base.__module__ for base in type(worker).__mro__}
    if bases & ASGI:
        worker.wsgi = wrap(worker.wsgi)
        return
    if not bases & WSGI:
        worker.log.warning(
            "loadflame: %s is not known: use app = loadflame_companion.wrap(app) in an ASGI app",
            type(worker).__name__,
        )
        return
    worker_id = name_worker(worker.ppid, os.getpid())
    worker.wsgi = Companion(worker.wsgi, worker_id, GreenletClock() if bases & COOPERATIVE else None)


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


@functools.lru_cache(maxsize=None)
def allow_tracing_from_now_on():
    """Let this process be traced, and every one that is forked from it."""
    allow_tracing()
    os.register_at_fork(after_in_child=allow_tracing)


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
            self.log.warning("loadflame: cannot tell requests apart: %r", error)

    load_wrapped.is_loadflame = True
    Worker.load_wsgi = load_wrapped
    # the master now, and every worker (and a daemon) when it is forked
    allow_tracing_from_now_on()


# -- remedies: apply the fix of a cause in memory, so that its gain is measured before it is written

SAID_EACH_S = 2
MOST_SHARED = 50
MOST_KEPT = 10000


class Remedy:
    """Replaces parts of libraries in the memory of this process, and counts how often that had an effect.

    It reports on stderr, as one line of JSON: the functions that it replaced, how often it acted, the calls that it
    left alone and why, and the reason if it refused to act.
    """

    # each subclass has its cause, and "places": a module -> the method that replaces something in it once it is loaded

    def __init__(self, value):
        """Take the value of "cause:value". ValueError says what to type."""
        if value:
            raise ValueError("it takes no value, but got %r" % value)

    def start(self):
        """Replace parts of loaded modules now, and of other modules when they are loaded."""
        import atexit

        self.replaced, self.refused = [], None
        self.begin_process()
        os.register_at_fork(after_in_child=self.begin_process)
        atexit.register(self.say)
        waiting = {}
        for name, method in self.places.items():
            call = functools.partial(self.apply, getattr(self, method))
            if name in sys.modules:
                call(sys.modules[name])
            else:
                waiting[name] = call
        sys.meta_path.insert(0, Arrivals(waiting, self))
        self.say()

    def begin_process(self):
        """Start counting in this process; objects are shared only within it."""
        self.lock = threading.Lock()
        self.acted, self.left, self.shared = 0, {}, {}
        self.said, self.said_at = None, 0.0

    def apply(self, method, module):
        """Replace parts of a loaded module; refuse if another version lacks them."""
        try:
            method(module)
        except Exception as error:
            self.refuse("this remedy does not know this version of %s: %r" % (module.__name__, error))

    def replace(self, owner, name, made):
        """Replace an attribute by a function, which calls the original after a refusal."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def either(*args, **options):
            return (made if self.refused is None else original)(*args, **options)

        setattr(owner, name, staticmethod(either) if name == "__new__" else either)
        module = owner.__module__ + "." if isinstance(owner, type) else ""
        self.replaced.append("%s%s.%s" % (module, owner.__name__, name))

    def act(self, times=1):
        """Count calls that it changed."""
        self.count(times, {})

    def leave(self, reason):
        """Count a call that it left alone."""
        self.count(0, {reason: 1})

    def count(self, acted, left):
        """Count both. Report the first act at once, later ones every few seconds."""
        with self.lock:
            self.acted += acted
            for reason, times in left.items():
                if reason in self.left or len(self.left) < MOST_SHARED:
                    self.left[reason] = self.left.get(reason, 0) + times
        if acted and acted == self.acted or perf_counter() - self.said_at > SAID_EACH_S:
            self.say()

    def refuse(self, reason):
        """Stop acting, and report why."""
        self.refused = reason
        self.say()

    def say(self):
        """Report its counts so far if they changed: a killed server cannot report at its end."""
        with self.lock:
            facts = {"remedy": self.cause, "pid": os.getpid(), "acted": self.acted}
            facts.update(replaced=self.replaced[:], left=dict(self.left), refused=self.refused)
            self.said_at = perf_counter()
            is_new, self.said = facts != self.said, facts
        if is_new:
            print_line(facts)


def print_line(facts):
    """Write facts to stderr, behind the token of this run: an app's own log may hold such a line, too."""
    import json

    token = os.environ.get("LOADFLAME_REMEDY_TOKEN")
    write_line(" ".join(["loadflame remedy", *([token] if token else []), json.dumps(facts)]))


class Arrivals:
    """A module finder that delegates to the others, and calls back after a module was loaded."""

    def __init__(self, calls, owner):
        """Take a callback for each module name; the owner is a remedy, or shared by all copies of this file."""
        self.calls = calls
        self.loadflame_owner = owner

    def find_spec(self, name, path=None, target=None):
        """Find an awaited module; None for all others."""
        if name not in self.calls:
            return None
        # those behind it: another one like it asks the same
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec:
                spec.loader.exec_module = functools.partial(self.execute, spec.loader.exec_module)
                return spec
        return None

    def execute(self, execute, module):
        """Call back after the module's own code has run."""
        execute(module)
        call = self.calls.pop(module.__name__, None)
        if call is not None:
            call(module)


class TlsContexts(Remedy):
    """Lets TLS contexts with the same set-up share one that has loaded the certificates.

    Each caller still has its own context, so that none changes another's. Such a context only records its set-up.
    For a connection, a shared context with exactly the same set-up replaces it.
    """

    cause = "tls-context-per-request"
    places = {"ssl": "of_ssl"}

    def of_ssl(self, ssl):
        """Make contexts that postpone loading certificates."""
        remedy, base, loaded = self, ssl.SSLContext, set()
        make = base.__new__

        class Context(base):
            def __setattr__(self, name, value):
                base.__setattr__(self, name, value)
                if isinstance(value, collections.abc.Hashable):  # no setting of TLS is anything else
                    self.note(name, value)

            def note(self, name, *args):
                """Record a step; the last one with a name counts."""
                steps = self.__dict__.get("steps")
                if steps is not None and steps.get(name) != args:
                    steps.pop(name, None)
                    steps[name] = args

            def key(self):
                own = self.__dict__
                return (own["protocol"], *own["steps"].items())

            def load(self, *step):
                """Load certificates, unless a context with the same steps has done so."""
                own = self.__dict__
                name, *args = step
                if own["steps"] is None or any(isinstance(one, bytearray) for one in args):
                    return getattr(base, name)(self, *args)
                self.note(step)
                if self.key() in loaded:
                    own["waiting"].append(step)
                    return remedy.act() if len(own["waiting"]) == 1 else None
                getattr(base, name)(self, *args)
                if len(loaded) < MOST_SHARED:
                    loaded.add(self.key())

            def load_verify_locations(self, cafile=None, capath=None, cadata=None):
                self.load("load_verify_locations", cafile, capath, cadata)

            def set_default_verify_paths(self):
                self.load("set_default_verify_paths")

            def set_alpn_protocols(self, protocols):  # httpcore does so before each connection
                base.set_alpn_protocols(self, protocols)
                self.note("set_alpn_protocols", tuple(protocols))

            def be_own(self, reason):
                """Become an ordinary context."""
                own = self.__dict__
                waiting, own["waiting"], own["steps"] = own["waiting"], [], None
                if waiting:
                    remedy.count(-1, {reason: 1})
                for name, *args in waiting:
                    getattr(base, name)(self, *args)

            def complete(self):
                """Return the context for a connection."""
                if not self.__dict__["waiting"]:
                    return self
                key = self.key()
                try:
                    if key not in remedy.shared and len(remedy.shared) < MOST_SHARED:
                        remedy.shared[key] = make_again(*key)
                    return remedy.shared[key]
                except Exception:
                    self.be_own("too many different contexts, or a set-up that fails when it is repeated")
                    return self

            def call_own(self, name, *args, **options):
                self.be_own("%s of a context" % name)
                return getattr(base, name)(self, *args, **options)

            def wrap_socket(self, *args, **options):
                return base.wrap_socket(self.complete(), *args, **options)

            def wrap_bio(self, *args, **options):
                return base.wrap_bio(self.complete(), *args, **options)

        def make_again(protocol, *steps):
            one = make(base, *protocol)
            for step, args in steps:
                if isinstance(step, tuple):
                    getattr(one, step[0])(*step[1:])
                elif step.startswith("set_"):
                    getattr(one, step)(*args)
                else:
                    setattr(one, step, *args)
            return one

        # other methods that change a context, or show what it has loaded
        for name in dir(base):
            is_known = name in vars(Context) or name in ("load_default_certs", "get_ciphers")
            if not is_known and not name.startswith("_"):
                if callable(getattr(base, name)) and not isinstance(getattr(base, name), type):
                    setattr(Context, name, functools.partialmethod(Context.call_own, name))

        def make_context(cls, *args, **options):
            if cls is not base or options:
                return make(cls, *args, **options)
            context = make(Context, *args)
            context.__dict__.update(steps={}, waiting=[], protocol=args)
            return context

        self.replace(base, "__new__", make_context)


class HttpClients(Remedy):
    """Lets clients with the same options share connections; each keeps its own cookies and headers."""

    cause = "http-client-per-request"
    places = {"urllib3": "of_urllib3", "httpx": "of_httpx", "requests": "of_requests"}

    def of_requests(self, requests):
        """Check the version; requests takes its connections from urllib3."""
        if [int(part) for part in requests.__version__.split(".")[:2]] < [2, 32]:
            self.refuse("requests before 2.32 changes certificate checks of existing pools: update requests")

    def of_urllib3(self, urllib3):
        """Share the pools of PoolManager; the key of a pool has all of its options."""
        from urllib3 import poolmanager

        def is_plain(manager):
            classes, keys = manager.pool_classes_by_scheme, manager.key_fn_by_scheme
            is_own = classes is not poolmanager.pool_classes_by_scheme or keys != poolmanager.key_fn_by_scheme
            return type(manager) is poolmanager.PoolManager and not is_own

        original = poolmanager.PoolManager.connection_from_pool_key

        def connection_from_pool_key(manager, pool_key, request_context=None):
            if request_context is None or not is_plain(manager):
                self.leave("connections of %s" % type(manager).__name__)
                return original(manager, pool_key, request_context)
            with self.lock:
                if "urllib3" not in self.shared:
                    self.shared["urllib3"] = poolmanager.PoolManager(MOST_SHARED)
                common = self.shared["urllib3"]
            if not hasattr(manager, "loadflame_known") and pool_key in common.pools:
                self.act()
            manager.loadflame_known = True
            if not request_context.get("block"):  # as many as threads may use at once
                most = max(MOST_SHARED, request_context.get("maxsize") or 1)
                request_context = dict(request_context, maxsize=most)
            return original(common, pool_key, request_context)

        self.replace(poolmanager.PoolManager, "connection_from_pool_key", connection_from_pool_key)

    def of_httpx(self, httpx):
        """Share the transports of clients, within one event loop."""
        plain = (bool, str, type(None), type(httpx.Limits()))

        async def aclose():
            """Stay open for other clients."""

        def pick(make_own, options, is_async):
            loop = running_loop() if is_async else None
            if (is_async and loop is None) or not all([isinstance(one, plain) for one in options.values()]):
                self.leave("httpx clients with their own TLS context or transport, or made outside of an event loop")
                return None
            key = (loop, repr(sorted(options.items())))
            with self.lock:
                common = self.shared.get(key)
                if common is None and len(self.shared) >= MOST_SHARED:
                    return None
            if common is not None:
                self.act()
            else:
                common = self.shared.setdefault(key, make_own())
            return (common.handle_async_request, aclose) if is_async else (common.handle_request, bool)

        lend_transports(self, httpx, pick)


def lend_transports(remedy, httpx, pick):
    """Let clients send and close with the functions of pick(make_own, options, is_async), or if None with their own."""

    class Lent(httpx.BaseTransport):
        def __init__(self, send, close):
            self.handle_request, self.close = send, close

    class AsyncLent(httpx.AsyncBaseTransport):
        def __init__(self, send, close):
            self.handle_async_request, self.aclose = send, close

    def lend(owner, kind):
        original = owner._init_transport

        def init_transport(client, **options):
            make_own = functools.partial(original, client, **options)
            picked = pick(make_own, options, kind is AsyncLent)
            return make_own() if picked is None else kind(*picked)

        remedy.replace(owner, "_init_transport", init_transport)

    lend(httpx.Client, Lent)
    lend(httpx.AsyncClient, AsyncLent)


def running_loop():
    """Return the event loop of this thread, or None."""
    try:
        return sys.modules["asyncio"].get_running_loop()
    except Exception:
        return None


class Introspection(Remedy):
    """Keeps the response to a token introspection (RFC 7662) for some seconds, and returns it for equal requests.

    Requests are equal in method, address, headers and body. Only their salted hash is kept, never a token. Refusals
    are not kept, and no response is kept for longer than its token is valid.
    """

    cause = "remote-introspection"
    places = {"urllib3": "of_urllib3", "httpx": "of_httpx"}
    FORM = "application/x-www-form-urlencoded"
    # headers that change with each request, but not the response
    VOLATILE = re.compile(r"trace(?:parent|state)|baggage|sentry-trace|b3|x-(?:b3-.*|request-id|correlation-id)")

    def __init__(self, value):
        """Take seconds (10)."""
        if not re.match(r"(?:[1-9]\d{0,4})?\Z", value, re.ASCII):
            raise ValueError("it takes seconds, such as remote-introspection:10, but got %r" % value)
        self.seconds = int(value or 10)
        self.salt = os.urandom(16)

    def key_of(self, method, url, headers, body):
        """Return the key of a request about one token; None for all others."""
        import hashlib
        from urllib.parse import parse_qs

        headers = {name.lower(): value for name, value in headers}
        text = body.decode("latin-1") if isinstance(body, bytes) else body
        is_form = method == "POST" and str(headers.get("content-type")).startswith(self.FORM)
        if not is_form or not isinstance(text, str) or len(parse_qs(text).get("token", ())) != 1:
            return None
        lasting = sorted([one for one in headers.items() if not self.VOLATILE.fullmatch(one[0])])
        return hashlib.sha256(self.salt + repr((url, lasting, text)).encode()).digest()

    def find(self, key):
        """Return headers and body of a kept response, or None."""
        found = self.shared.get(key)
        if found is None or time.time() >= found[0]:
            return None
        self.act()
        return found[1:]

    def keep(self, key, status, headers, body):
        """Keep a response as received, if its token is active."""
        import gzip
        import json

        try:
            facts = json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
            until = min(time.time() + self.seconds, float(facts.get("exp", "inf")))
        except Exception:
            return
        if status == 200 and facts.get("active") is True:
            with self.lock:
                if len(self.shared) >= MOST_KEPT:
                    self.shared.clear()
                self.shared[key] = (until, headers, body)

    def of_httpx(self, httpx):
        """Let clients make their own transport, with its TLS context, only when they need it."""

        def find(request):
            body = b"".join(request.stream) if isinstance(request.stream, httpx.ByteStream) else None
            key = self.key_of(request.method, str(request.url), request.headers.items(), body)
            return key, key and self.find(key)

        def give(headers, body, status=200, key=None):
            if key:
                self.keep(key, status, headers, body)
            return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

        def pick(make_own, options, is_async):
            own = functools.lru_cache(maxsize=None)(make_own)

            def send(request):
                key, found = find(request)
                response = None if found else own().handle_request(request)
                if found or not key:
                    return give(*found) if found else response
                body = b"".join(response.stream)
                response.close()
                return give(response.headers, body, response.status_code, key)

            async def send_async(request):
                key, found = find(request)
                response = None if found else await own().handle_async_request(request)
                if found or not key:
                    return give(*found) if found else response
                body = b"".join([part async for part in response.stream])
                await response.aclose()
                return give(response.headers, body, response.status_code, key)

            def close():
                if own.cache_info().currsize:
                    own().close()

            async def aclose():
                if own.cache_info().currsize:
                    await own().aclose()

            return (send_async, aclose) if is_async else (send, close)

        lend_transports(self, httpx, pick)

    def of_urllib3(self, urllib3):
        """Act below requests and all other users of urllib3."""
        import io

        original = urllib3.HTTPConnectionPool.urlopen

        def urlopen(pool, method, url, body=None, headers=None, *args, **options):
            address = "%s://%s:%s%s" % (pool.scheme, pool.host, pool.port, url)
            key = self.key_of(method, address, (pool.headers if headers is None else headers).items(), body)
            if key is None or args:
                return original(pool, method, url, body, headers, *args, **options)
            found, status = self.find(key), 200
            if not found:
                asked = dict(options, preload_content=False)
                response = original(pool, method, url, body, headers, **asked)
                status, found = response.status, (response.headers, response.read(decode_content=False))
                response.release_conn()
                self.keep(key, status, *found)
            given = {name: options.get(name, True) for name in ("preload_content", "decode_content")}
            return urllib3.HTTPResponse(io.BytesIO(found[1]), found[0], status, request_method=method, **given)

        self.replace(urllib3.HTTPConnectionPool, "urlopen", urlopen)


class Relation(Remedy):
    """Loads a relation of SQLAlchemy by selectinload with the query for its class, instead of one by one."""

    cause = "lazy-loading"
    places = {"sqlalchemy.orm": "of_sqlalchemy"}

    def __init__(self, value):
        """Take a relation, or a chain of them: "Order.items", "Order.items.product"; else it only lists relations."""
        if not re.match(r"(?:\w+(?:\.\w+)+)?\Z", value):
            raise ValueError("it takes a relation, such as lazy-loading:Order.items, but got %r" % value)
        self.path = value.split(".")

    def of_sqlalchemy(self, orm):
        """Add the option to queries for the class, unless they have one for the relation."""
        import sqlalchemy
        from sqlalchemy.orm import strategies

        owner = getattr(strategies, "LazyLoader", None) or strategies._LazyLoader  # its name since 2.1
        original = owner._emit_lazyload

        def emit_lazyload(loader, session, state, *args, **options):
            path = state.load_path.path if state.load_path else (state.mapper,)
            names = [path[0].class_.__name__, *[one.key for one in path[1::2]], loader.key]
            self.leave("one by one: lazy-loading:%s" % ".".join(names))
            return original(loader, session, state, *args, **options)

        self.replace(owner, "_emit_lazyload", emit_lazyload)

        def add_option(execution):
            is_query = isinstance(execution.statement, sqlalchemy.sql.Select)
            if self.refused or not is_query or execution.is_relationship_load or execution.is_column_load:
                return
            for column in execution.statement.column_descriptions:
                entity = column["entity"]
                if column["expr"] is entity and getattr(entity, "__name__", None) == self.path[0]:
                    try:
                        option, relation = self.option_for(orm, sqlalchemy, entity)
                        own = execution.statement._with_options
                        if any([relation in element.path.path for one in own for element in one.context]):
                            return self.leave("queries that have an option for it")
                    except ValueError as error:
                        return self.refuse(str(error))
                    except AttributeError:  # before SQLAlchemy 2
                        return self.leave("queries with options of another kind")
                    execution.statement = execution.statement.options(option)
                    return self.act()

        sqlalchemy.event.listen(orm.Session, "do_orm_execute", add_option)
        self.replaced.append("sqlalchemy.orm.Session do_orm_execute")

    def option_for(self, orm, sqlalchemy, owner):
        """Return the option that loads the relation, and the relation. ValueError says why there is none."""
        option = orm.Load(owner)
        for name in self.path[1:]:
            relations = sqlalchemy.inspect(owner).relationships
            if name not in relations:
                names = ", ".join(sorted(relations.keys())) or "none"
                raise ValueError("%s has no relation %s; its relations: %s" % (owner.__name__, name, names))
            attribute, kind = getattr(owner, name), relations[name].lazy
            if name is not self.path[-1]:
                option = option.defaultload(attribute)
            elif kind not in ("select", True):
                raise ValueError("%s.%s has lazy=%r already" % (owner.__name__, name, kind))
            owner = relations[name].mapper.class_
        return option.selectinload(attribute), attribute.property


class AccessLog(Remedy):
    """Switches off the access log of gunicorn."""

    cause = "access-log"
    places = {"gunicorn.glogging": "of_gunicorn"}

    def of_gunicorn(self, glogging):
        """Write no lines, and count them."""

        def access(logger, *args, **options):
            if logger.access_log.hasHandlers():
                self.act()

        self.replace(glogging.Logger, "access", access)


REMEDIES = (TlsContexts, HttpClients, Introspection, Relation, AccessLog)


def start_remedy(asked):
    """Apply what LOADFLAME_REMEDY asks for, once: gunicorn may read this file again."""
    cause, _, value = asked.partition(":")
    if find_owner("cause") is not None:
        return
    kinds = {kind.cause: kind for kind in REMEDIES}
    try:
        if not IS_ACTIVE:
            raise ValueError("the companion is not active: LOADFLAME=1 is not in its environment")
        if cause not in kinds:
            raise ValueError("there is no such remedy; the remedies are %s" % ", ".join(kinds))
        remedy = kinds[cause](value)
    except ValueError as error:
        facts = {"remedy": cause, "pid": os.getpid(), "acted": 0, "replaced": [], "left": {}}
        return print_line(dict(facts, refused=str(error)))
    remedy.start()


if IS_ACTIVE:
    install()
    if os.environ.get("LOADFLAME_CALLS") != "0":
        follow_calls()
elif SETTING.lower() not in ("", "0", "false"):
    os.environ["LOADFLAME"] = "0"  # said once, not by each copy and each child
    write_line("loadflame: the companion is off: LOADFLAME is neither 1 nor a key of at least 16 visible characters")
if os.environ.get("LOADFLAME_REMEDY"):
    start_remedy(os.environ["LOADFLAME_REMEDY"])
