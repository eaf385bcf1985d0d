"""A WSGI app, wrapped."""

import functools
from time import perf_counter

from ..calls.ledger import end_calls
from ..calls.same import SAME, tell_more
from ..frames import FRAMES, ROUTE_FILE, UNSEEN
from ..garbage import COLLECTIONS
from ..headers import PROXIED_WSGI, add_timing, may_see, tell_time
from ..requests import AROUND, CALLER, UNTOLD, add
from ..settings import thread_time
from ..steps import MAX_DEPTH
from .clocks import clock_of_thread, tell_ended
from .pools import POOLS
from .threads import Caller, follow_threads


class Companion:
    """A WSGI app around another one."""

    def __init__(self, app, worker_id, clock=None):
        """Wrap an app. The clock counts the CPU time of requests where one thread serves several at once."""
        self.app = app
        self.worker = 'worker;desc="%s"' % worker_id
        self.clock = clock
        COLLECTIONS.follow()
        POOLS.follow()
        if clock is None and thread_time is not None:
            follow_threads()

    def __call__(self, environ, start_response):
        """Serve a request below its frames."""
        try:
            is_seen = may_see(
                environ.get("HTTP_LOADFLAME_KEY", ""),
                environ.get("REMOTE_ADDR") or "",  # a socket file has none: a proxy is before it
                environ.get("SERVER_PROTOCOL") != "HTTP/1.0" and PROXIED_WSGI.isdisjoint(environ),
            )
            frames = FRAMES if is_seen else UNSEEN
            if is_seen and "HTTP_LOADFLAME_NAMES" in environ:
                SAME.ask(environ["HTTP_LOADFLAME_NAMES"])
            asked = environ["REQUEST_METHOD"], (environ.get("RAW_URI") or environ["PATH_INFO"]).partition("?")[0]
            route = frames.of_route(*asked)
            # a WebSocket lives for minutes: the half-second in which it began says nothing of it
            half_second = None if "HTTP_UPGRADE" in environ else frames.of_time(perf_counter())
            clock = self.clock or clock_of_thread()
            served = Served(route, clock, frames, asked)
            start, release = self.timed(start_response, served) if is_seen else (start_response, None)
            CALLER.set(served)
            clock.begin(served)  # last: what is before it is no cost of the request
        except Exception:
            return self.app(environ, start_response)
        body, is_held = (), False
        try:
            if half_second is None:
                served.write = start_response
                return route(self.app, environ, start)
            body = half_second(route, self.app, environ, start)
            is_held = release is not None and served.write is None
            if is_held:
                served.known = clock.look(served)  # first: the rest is the server's work
                release()
            if not (type(body) in (list, tuple) or is_file(body, environ)):
                body = Body(body, served, is_begun=not is_held or served.told is None)
            return body
        finally:
            CALLER.set(None)
            end_calls(served)
            if type(body) is not Body:
                clock.leave(served, is_reported=is_held and served.told is not None)

    def timed(self, start_response, served):
        """Return a start_response that adds what the request took to the headers of its response, and what releases them.

        They are held until the app returns (a server sends them with the body): what it does on its way out, as Flask
        in teardown_request, is theirs, too.
        """

        def start(status, headers, *error):
            try:
                told = served.tell(self.worker)
                more = POOLS.tell() + COLLECTIONS.tell(served.route) + COLLECTIONS.tell_pause(served.started) + served.found
                headers = add_timing(headers, "%s, %s%s" % (told, tell_time(), more))
                headers += tell_more(served)
            except Exception:
                pass  # the response counts more than its measurement
            return start_response(status, headers, *error)

        def release():
            if served.write is None:
                served.write = (start(*served.held) if served.held else None) or start_response
            return served.write

        def hold(*response, **error):
            response += (*error.values(),)
            if served.held and len(response) < 3:
                release()  # the server refuses a second response
            if served.write is not None:
                return start(*response)
            served.held = response
            return lambda data: release()(data)

        return hold, release


class Served(Caller):
    """A request of a WSGI app, and what it has cost so far."""

    __slots__ = "clock around greenlet held write known".split()

    def __init__(self, route, clock, frames=None, asked=None):
        super().__init__(route, frames, asked)
        self.clock, self.around = clock, 0.0
        self.known = self.greenlet = self.held = self.write = None  # held, write: what start_response got and gave

    def tell(self, worker):
        """Report what it took up to the headers of its response."""
        is_known = self.clock.look(self) if self.known is None else self.known
        total = (perf_counter() - self.started) * 1000
        if not is_known:
            return "total;dur=%.3f, %s" % (total, worker)
        self.told = self.count()
        cpu, around = self.told + UNTOLD.pop(self.route, 0), AROUND.pop(self.route, 0)
        told = total, cpu * 1000, worker, around * 1000, tell_ended(self)
        return "total;dur=%.3f, cpu;dur=%.3f, %s, around;dur=%.3f%s" % told

    def keep(self):
        """Keep what was not reported for the next response of the route."""
        Caller.keep(self)
        add(AROUND, self.route, self.around)
        self.around = 0.0

    def is_on_a_stack(self):
        """Return whether its greenlet runs now."""
        return self.greenlet.gr_frame is None

    def waits_for_a_thread(self):
        """Return whether a call that it handed to a thread has not begun: that is on its stack."""
        return False

    def follow_awaits(self):
        """Return where its greenlet is suspended, outermost first, and False: whether it is ready to run is unknown."""
        places, frame = [], self.greenlet.gr_frame
        while frame is not None and frame.f_code.co_filename != ROUTE_FILE and len(places) < MAX_DEPTH:
            if frame.f_code.co_filename != __file__:
                places.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        return places[::-1], False


def is_file(body, environ):
    """Return whether the server sends a body with sendfile() if it gets it as it is."""
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(wrapper, type) and isinstance(body, wrapper)


class Body:
    """The body of a response; what makes its parts runs below the frames of the request, too."""

    def __init__(self, body, served, is_begun):
        """Wrap what the app returned, and say whether its request is still counted."""
        self.parts = iter(body)
        self.served = served
        self.is_begun = is_begun
        if hasattr(body, "close"):
            self.close = functools.partial(self.run, body.close)

    def __iter__(self):
        """Return itself: a body is read once."""
        return self

    def __next__(self):
        """Return the next part."""
        return self.run(next, self.parts)

    def run(self, call, *args):
        """Make a call below the frames of the request."""
        served = self.served
        try:
            half_second = FRAMES.of_time(perf_counter())
            CALLER.set(served)
            if not self.is_begun:
                served.clock.resume(served)
            self.is_begun = False
        except Exception:
            return call(*args)
        try:
            return half_second(served.route, call, *args)
        finally:
            served.clock.leave(served)
            CALLER.set(None)
