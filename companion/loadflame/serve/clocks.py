"""Clocks of WSGI workers that serve one request per thread: whose CPU time it is."""

import os
import threading
import time
from time import perf_counter

from ..settings import thread_time
from .pools import POOLS


class Clock:
    """Attributes CPU time to requests; this one cannot, where Python has no clock per thread.

    Between requests a server writes the response and the log and reads the next request. What it spends from one
    request to the next is reported with the route of the first one, separate from the cost of its requests.
    """

    def begin(self, served):
        """Count what runs from now on for the request."""

    def resume(self, served):
        """Count for the request again: a part of its body is made."""

    def leave(self, served, is_reported=False):
        """Count what runs from now on for the server, and if its costs are reported, what ran since the last look, too."""

    def look(self, served):
        """Count up to now; return whether that is known."""
        return False


# in a pause this long, a server only runs its timers
IDLE_SERVER_S = 2


TASKS = os.path.isdir("/proc/self/task") and "/proc/self/task"  # of Linux
LITTLE_S = 0.0005
TRIES = 3
RUNNING = {}  # request -> the clocks of process and thread at its begin; empty where it is not alone in the process
ENDED = []  # what list_ended() returned last; empty after requests that ran at the same time, and in a new process
if TASKS:
    os.register_at_fork(after_in_child=ENDED.clear)
FOLLOWED = {None: 0.0}  # native id of a thread -> what of its CPU time requests counted; None: of those that ended


def enter(served):
    """Let a request run, and return what the clock of its thread shows; requests that run at the same time are not alone."""
    is_alone = not RUNNING and served.told is None and TASKS
    if is_alone and not ENDED:
        started = thread_time()
        keep_ended()
        served.clock.at += thread_time() - started  # no cost of the server
    process = time.process_time() if is_alone else 0.0
    begun = RUNNING[served] = []
    if len(RUNNING) > 1:
        ENDED.clear()
        for other in list(RUNNING.values()):
            other.clear()
    now = thread_time()  # last: what is before it is no cost of the request
    if is_alone:
        begun += process, now
        if len(RUNNING) > 1:
            begun.clear()
    return now


def read_clock(started, clock):
    """Return the CPU time of another thread since then: 0 before, and where that cannot be read."""
    try:
        return time.clock_gettime(clock) - started
    except (OSError, TypeError):
        return 0.0


def list_ended():
    """Return the CPU time of threads that ended so far, which the process's clock keeps, and no request counted. It is slow.

    Return None where others use CPU faster than their clocks can be read: the difference would be theirs.
    """
    threads = os.listdir(TASKS)  # first: others run meanwhile
    for _ in range(TRIES):
        used = time.process_time()
        # the kernel's numbers of the clocks of threads
        clocks = {int(thread): read_clock(0, ~int(thread) << 3 | 6) for thread in threads}
        if time.process_time() - used < LITTLE_S:
            for gone in [one for one in list(FOLLOWED) if one and not clocks.get(one)]:
                FOLLOWED[None] += FOLLOWED.pop(gone)
            return used - sum(clocks.values()) - FOLLOWED[None]
    return None


def keep_ended():
    """List what threads used that ended, and remember that for the next request."""
    now = list_ended()
    ENDED[:] = () if now is None else (now,)
    return now


def tell_ended(served):
    """Return an entry of Server-Timing: what threads used that ended during a request, as those of argon2 do.

    Where the others have hardly done anything, neither have those that ended. A thread that ended may have lived long,
    but used no more than all others did meanwhile.
    """
    begun = tuple(RUNNING.get(served, ()))  # other threads may empty it
    if not begun:
        return ""
    ended, others = 0.0, time.process_time() - begun[0] - served.clock.at + begun[1]
    if others > LITTLE_S:
        then, now = next(iter(ENDED), None), keep_ended()
        if then is None or now is None:
            return ""
        ended = max(0.0, min(others, now - then))
    return ", ended;dur=%.3f" % (ended * 1000)


# what a reading of the clock takes at least
READING_S = 0.0 if thread_time is None else min([-thread_time() + thread_time() for _ in range(20)])


class ThreadClock(Clock):
    """The clock of a thread that serves one request after the other."""

    def __init__(self):
        self.last = self.unkept = None  # the last request; the one before until its costs are kept
        self.at = 0.0  # its last reading

    def begin(self, served):
        """Count what the thread does from now on for the request."""
        MAIN_THREAD.count(served)
        now = enter(served)
        if self.last is not None:
            self.charge(self.last, now)
        self.unkept, self.last, self.at = self.last, served, now

    def resume(self, served):
        """Count for the request again."""
        served.ended = None
        self.charge(served, enter(served))

    def leave(self, served, is_reported=False):
        """Count what the thread does from now on for the server."""
        if is_reported:
            self.charge(served, thread_time())
        else:
            self.look(served)
        RUNNING.pop(served, None)
        served.ended = perf_counter()
        served.freeze()

    def charge(self, served, now):
        """Count what ran since the last reading as around the request."""
        served.around += now - self.at
        self.at = now

    def look(self, served):
        """Count up to now, and the reading of the clock itself as around the request."""
        now = thread_time()
        served.cpu += now - self.at - READING_S
        served.around += READING_S
        self.at = now
        if self.unkept is not None:
            self.unkept.keep()
            self.unkept = None
        return True


class MainThread:
    """In gthread workers (and waitress) it accepts connections for the threads that serve them."""

    def __init__(self):
        """Start without knowing whether it serves requests itself."""
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
    """Return the clock of this thread."""
    try:
        return THREADS.clock
    except AttributeError:
        POOLS.server = threading.current_thread()
        THREADS.clock = Clock() if thread_time is None else ThreadClock()
        return THREADS.clock
