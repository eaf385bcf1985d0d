"""The clock of gevent and eventlet, where one thread serves many requests at once."""

import weakref
from time import perf_counter

from ..requests import AROUND, SERVER, UNDER_WAY, add
from ..settings import thread_time
from .awaits import show_awaits_from_now_on
from .clocks import IDLE_SERVER_S, Clock


class GreenletClock(Clock):
    """The clock of a thread that serves many requests at once, read whenever greenlets change.

    What a greenlet of the server does counts as around the requests, as does the hub; what others do (the
    application's own in the background, the worker's heartbeat) is unattributed.
    """

    MODULES = ("gunicorn.workers.", "eventlet.wsgi", "gevent.pywsgi", "gevent.baseserver")

    def __init__(self):
        """Follow no greenlets yet: that starts with the first request, after the worker has forked."""
        self.greenlet = self.at = None
        self.seen = self.around = 0.0  # around: of no request before
        self.requests = {}  # greenlet -> the request that it is at
        self.last = weakref.WeakKeyDictionary()  # greenlet -> route; SERVER, or None: none of the server's

    def follow(self):
        """Get called at each switch of greenlets. A trace function that is set already stays: then no CPU time is known."""
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

    def leave(self, served, is_reported=False):
        """Count what the greenlet does from now on for the server."""
        UNDER_WAY.pop(served, None)
        if self.look(served):
            own = self.greenlet.getcurrent()
            self.requests.pop(own, None)
            self.last[own] = served.route  # its framework has named it
            served.keep()
