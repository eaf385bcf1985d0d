"""Garbage collections: whose request they delayed, how often and for how long."""

import gc
import sys
from threading import get_ident
from time import perf_counter

from .requests import CALLER, is_over
from .settings import thread_time

LONG_S = 0.01  # in so long a full collection, to count the objects adds little
COUNTED_EACH_S = 10  # a load is short, and the heap grows with it; counting takes about a sixth of a collection
STALE_S = 2  # older collections outside of requests are of no load that runs now


class Collections:
    """Times collections: of each generation the number, CPU seconds, and those of the longest. Only one runs at a time.

    By its CPU time a pause is at least as long; by the clock it would include waiting for a core.
    """

    def __init__(self):
        """Begin without any; by route, reported with its next response, and by None: in no request."""
        self.by_route = {}
        self.begun = self.begun_at = self.since = 0.0
        self.long = []  # the last ones: when each ended, how long it took, its CPU time, and its thread
        self.objects, self.counted_at = 0, -COUNTED_EACH_S

    def __call__(self, phase, info):
        """Be called before and after a collection, anywhere: it takes no lock."""
        if phase == "start":
            self.begun, self.begun_at = thread_time(), perf_counter()
            return
        cpu, now, caller = thread_time() - self.begun, perf_counter(), CALLER.get()
        if cpu > LONG_S:
            self.long = [*self.long[-7:], (now, now - self.begun_at, cpu, get_ident())]
        route = None if caller is None or is_over(caller) else caller.route
        sums = self.by_route.get(route)
        if route is None and (sums is None or now - self.since > STALE_S):
            self.since, sums = now, None
        if sums is None:
            sums = self.by_route[route] = [[0, 0.0, 0.0] for _ in range(3)]
        own = sums[info["generation"]]
        own[:] = own[0] + 1, own[1] + cpu, max(own[2], cpu)
        if info["generation"] == 2 and cpu > LONG_S and now - self.counted_at > COUNTED_EACH_S:
            self.objects, self.counted_at = len(gc.get_objects()), now

    def longer(self, known, started, ended, cpu):
        """Return the longer step of this thread, each (length, CPU time), the new one without the long collections in it."""
        length = ended - started
        for at, lasted, own, thread in self.long:
            if at > started:
                length -= min(lasted, at - started)
                cpu -= own if thread == get_ident() else 0
        return max(known, (length, cpu))

    def tell_pause(self, started):
        """Return an entry of Server-Timing, or "": how long the long collections since then have held the interpreter."""
        pause = self.long and sum([min(lasted, at - started) for at, lasted, _, _ in self.long if at > started])
        return ", paused;dur=%.1f" % (pause * 1000) if pause else ""

    def follow(self):
        """Time the collections of this process from now on."""
        callbacks = getattr(gc, "callbacks", None)  # not in PyPy
        if thread_time is not None and callbacks is not None and self not in callbacks:
            callbacks.append(self)

    def move(self, route, other):
        """Count what was collected in requests of a route for another one."""
        sums = self.by_route.pop(route, ())
        for own, (count, cpu, most) in zip(self.by_route.setdefault(other, [[0, 0.0, 0.0] for _ in range(3)]), sums):
            own[:] = own[0] + count, own[1] + cpu, max(own[2], most)

    def tell(self, route):
        """Return an entry of Server-Timing, or "": `gc;desc="3.14.2 r0:2:900:500 n2:1:90000:90100 o250000"`.

        Those in requests (r) of a route and in none (n): generation, number, CPU time, and the longest, in us; the number
        of objects, if it was counted.
        """
        parts = []
        for who, key in (("r", route), ("n", None)) if self.by_route else ():
            sums = self.by_route.pop(key, None)
            if sums and (key is not None or perf_counter() - self.since < STALE_S):
                parts += ["%s%d:%d:%d:%d" % (who, age, n, cpu * 1e6, most * 1e6) for age, (n, cpu, most) in enumerate(sums) if n]
        if not parts:
            return ""
        return ', gc;desc="%s %s o%d"' % (sys.version.split()[0], " ".join(parts), self.objects)


COLLECTIONS = Collections()
