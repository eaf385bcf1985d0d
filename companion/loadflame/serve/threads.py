"""What requests hand to threads, and threads that they start."""

import functools
import sys
import threading
from time import perf_counter

from ..arrivals import put_around
from ..calls.ledger import Ledger
from ..calls.same import SAME
from ..frames import FRAMES, rename
from ..requests import CALLER, LATE, LOCK, THREAD, UNTOLD, add, is_over
from ..settings import clock_id_of, thread_time
from .clocks import ENDED, FOLLOWED, THREADS, read_clock


class Caller:
    """A request, with what threads do for it; `calls` are costs of these."""

    __slots__ = "route frames asked found started cpu calls told ended ledger".split()

    def __init__(self, route, frames, asked):
        """Begin without costs; found: its route, as an entry of Server-Timing."""
        self.route, self.frames, self.asked, self.found = route, frames, asked, ""
        self.started, self.cpu, self.calls = perf_counter(), 0.0, []
        self.told = self.ended = self.ledger = None

    def keep(self):
        """Keep what was not reported for the next response of the route; a thread may end at the same moment."""
        with LOCK:
            if self.told is not None:
                told, self.told = self.told, self.count()
                add(UNTOLD, self.route, self.told - told)

    def count(self):
        """Return the CPU time of the request itself, and of its threads up to now."""
        # most requests have none, and an empty sum takes a fiftieth of what the companion needs for each
        return self.cpu + sum([read_clock(*one[1:]) if one[0] is None else one[0] for one in self.calls]) if self.calls else self.cpu

    def freeze(self):
        """Count threads up to now: what one does after its request counts when it ends, unless it lives on."""
        for cost in self.calls:
            if cost[0] is None and cost[1] is not None:
                cost[0] = read_clock(*cost[1:])

    def in_thread(self, call, is_whole=False):
        """Return a call that is made in a thread, or is all that it does, below the frames of the request."""
        cost = [None, None, None]  # its CPU time at its end; from its begin: where it began, and on which clock
        self.calls.append(cost)

        def run_in_thread(*_thread):  # Sentry gives a thread's function the thread
            # to hand over the last call's result and to get this one costs something, too
            started = 0.0 if is_whole else getattr(THREADS, "ended", None) or thread_time()
            cost[:] = None if self.ended is None else 0.0, started, clock_id_of(threading.get_ident())
            late = THREAD.late = [] if is_whole else None
            around = CALLER.set(self)
            SAME.watch()
            try:
                return FRAMES.of_time(perf_counter())(self.route, call)
            finally:
                CALLER.reset(around)
                THREADS.ended = thread_time()
                if ENDED:
                    add(FOLLOWED, threading.get_native_id(), THREADS.ended - started)
                if not is_whole or not is_over(self):
                    cost[0] = THREADS.ended - started
                    if late:
                        LATE.setdefault(self.route, Ledger()).times += late
                if self.ended is not None:
                    Caller.keep(self)

        if is_whole:  # its samples are its request's no longer once it lives on
            run_in_thread.__code__ = rename(run_in_thread.__code__, "run_whole_thread")
        return run_in_thread


def follow_threads():
    """Run what requests hand to executors below their frames, and threads that they start."""
    from concurrent.futures import ThreadPoolExecutor

    submit, start = ThreadPoolExecutor.submit, threading.Thread.start
    if getattr(submit, "is_loadflame", False):
        return

    def submit_followed(self, call, /, *args, **kwargs):
        followed = follow_call(functools.partial(call, *args, **kwargs))
        before = len(getattr(self, "_threads", ()))
        around = CALLER.set(None)  # a thread that the executor starts now serves others, too
        try:
            return submit(self, followed)
        finally:
            CALLER.reset(around)
            if len(getattr(self, "_threads", ())) > before:
                tell_start()

    def start_followed(self):
        caller, events = CALLER.get(), sys.modules.get("asyncio.events")
        # on an event loop, a thread is for what coroutines hand to it: of anyio, of aiosqlite; so is one that runs a loop
        is_loop = getattr(getattr(self, "_target", None), "__name__", "") == "run_forever"
        if caller is not None and not is_over(caller) and not is_loop and not (events and events._get_running_loop()):
            self.run = caller.in_thread(self.run, True)
        tell_start()
        return start(self)

    submit_followed.is_loadflame = True
    ThreadPoolExecutor.submit, threading.Thread.start = submit_followed, start_followed


def tell_start():
    """Raise an event for a thread that is started (Python has one since 3.13): not for a greenlet in its place."""
    if threading.get_ident.__module__ == "_thread":
        sys.audit("loadflame.act", "thread", None, "start a thread")


def follow_anyio():
    """Run what requests hand to threads of anyio below their frames, as `def` endpoints."""
    try:
        from anyio import to_thread
    except ImportError:
        return

    def follow_run(run_sync):
        def run_sync_followed(call, *args, **options):
            return run_sync(follow_call(functools.partial(call, *args)), **options)

        return functools.wraps(run_sync)(run_sync_followed)

    put_around(to_thread, "run_sync", follow_run)


def follow_call(call):
    """Return a call that is made in a thread: as one of the request, or so that none pays for it."""
    caller = CALLER.get()
    return functools.partial(run_outside, call) if caller is None or is_over(caller) else caller.in_thread(call)


def run_outside(call):
    """Make a call for which no request pays."""
    try:
        return call()
    finally:
        THREADS.ended = thread_time()
