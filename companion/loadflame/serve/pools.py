"""Pools that requests share: the size of each, how many are in use, and how many calls wait, at random instants."""

import os
import sys
import threading
import weakref
from random import random
from time import perf_counter

# older instants are of no load that runs now; if nothing was in use at the last one, it has not begun
SEEN_S, TOLD_S, OLD_S, IDLE_S = 0.1, 0.5, 2, 0.7
DEPTH = 6  # of frames above a wait for something of a pool
# methods that wait for it; "self" is the pool, or knows it
WAITS = (
    "acquire threading.py,acquire locks.py,acquire_on_behalf_of _asyncio.py,_do_get impl.py,wait pool.py,"
    "getconn pool.py,getconn pool_async.py,_acquire pool.py".split(",")
)


def find_original(module, name):
    """Return what a module had before gevent or eventlet put something else in its place."""
    gevent, eventlet = sys.modules.get("gevent.monkey"), sys.modules.get("eventlet.patcher")
    if eventlet is not None:
        return getattr(eventlet.original(module), name)
    return getattr(sys.modules[module], name) if gevent is None else gevent.get_original(module, name)


def start_thread(call, *args):
    """Start a thread that serves no request."""
    find_original("_thread", "start_new_thread")(run_named, (call, *args))


def run_named(call, *args):
    """Name this thread in the kernel, for those who count how long requests wait for a core."""
    try:
        with open("/proc/thread-self/comm", "w") as file:
            file.write("loadflame")
    except OSError:
        pass  # not Linux
    call(*args)


def read_threads(own, frames):
    """Return the numbers of an executor. Its threads are in use unless they are in the frame that gets the next call."""
    at = [frames.get(thread.ident) for thread in list(own._threads)]
    used = [one for one in at if one is not None and one.f_code.co_name != "_worker"]
    return own._max_workers, len(used), own._work_queue.qsize()


def read_semaphore(own, _frames):
    """Return the numbers of a semaphore; without its size if it was made before the companion was loaded."""
    size, waiting = getattr(own, "loadflame_size", 0), own._cond._waiters if hasattr(own, "_cond") else own._waiters or ()
    return size, max(0, size - own._value), len(waiting)


def count_getters(queue):
    """Return how many wait for an item of a queue of threads, or of asyncio."""
    return len(queue.not_empty._waiters if hasattr(queue, "not_empty") else queue._getters)


def read_sqlalchemy(own, _frames):
    """Return the numbers of a pool of SQLAlchemy; without its size if it has no limit."""
    queue, more = getattr(own._pool, "_queue", own._pool), own._max_overflow
    return (own.size() + more if more >= 0 else 0), own.checkedout(), count_getters(queue)


# by package and class: what it is, and its size (0: not known), those in use and those that wait
KINDS = {
    "concurrent.ThreadPoolExecutor": ("executor", read_threads),
    "concurrent.ProcessPoolExecutor": ("processes", lambda own, _: (own._max_workers, len(own._pending_work_items), 0)),
    "multiprocessing.ThreadPool": ("executor", lambda own, _: (own._processes, len(own._cache), 0)),
    "multiprocessing.Pool": ("processes", lambda own, _: (own._processes, len(own._cache), 0)),
    "anyio.CapacityLimiter": ("anyio", lambda own, _: (own.total_tokens, own.borrowed_tokens, len(own._wait_queue))),
    "threading.Semaphore": ("semaphore", read_semaphore),
    "asyncio.Semaphore": ("semaphore", read_semaphore),
    "sqlalchemy.QueuePool": ("connections", read_sqlalchemy),
    "psycopg_pool.BasePool": ("connections", lambda own, _: (own.max_size, own._nconns - len(own._pool), len(own._waiting))),
    "asyncpg.Pool": ("connections", lambda own, _: (own.maxsize, own.maxsize - own.qsize(), count_getters(own))),
}


class Pools:
    """The pools of this process that were seen, and what has not been reported of them."""

    def __init__(self):
        """Begin without any."""
        self.known = {}  # id -> its name, a reference, how it is read
        self.sums = {}  # name -> number of instants, and sums of sizes, of those in use and of those that wait
        self.instants, self.told_at, self.calls = 0, 0.0, 0
        self.server = self.sleep = None  # a thread that serves requests: the server may have a pool of them itself

    def follow(self):
        """Watch the pools of this process from now on."""
        if self.sleep is None:
            self.sleep = find_original("time", "sleep")
            start_thread(self.watch_pools)

    def watch_pools(self):
        """Read them now and then, never in step with a load that has a beat."""
        while True:
            self.sleep(SEEN_S * (0.5 + random()))
            try:
                self.read(sys._current_frames())
            except Exception:
                pass  # something has changed meanwhile

    def read(self, frames):
        """Read all pools, also those that threads show only now."""
        if perf_counter() - self.told_at > (OLD_S if self.calls else IDLE_S):
            self.sums, self.instants = {}, 0
        self.instants += 1
        self.calls = 0
        for thread in list(threading._active.values()):
            refer = getattr(thread, "executor_reference", None) or (getattr(thread, "_args", None) or [None])[0]
            self.add(refer() if isinstance(refer, weakref.ref) else None)
        for frame in frames.values():
            self.add_above(frame)
        for name, refer, read in list(self.known.values()):
            try:
                size, used, waiting = read(refer(), frames)
            except Exception:
                continue  # it is gone, or of a version that is not known
            self.calls += used + waiting
            more = max(0, used - size)
            sums = zip(self.sums.get(name, [0] * 4), (1, size, used - more, waiting + more))
            self.sums[name] = list(map(sum, sums))

    def add_above(self, frame):
        """Add the pools for which a frame waits, or one above it."""
        for _ in range(DEPTH):
            frame = frame and (self.add_awaited(frame) or frame.f_back)

    def add_awaited(self, frame):
        """Add the pool for which such a frame waits, if it does."""
        if "%s %s" % (frame.f_code.co_name, os.path.basename(frame.f_code.co_filename)) in WAITS:
            self.add(frame.f_locals.get("self"))

    def add(self, own):
        """Add a pool, if it is of a known kind."""
        kinds = ["%s.%s" % (kind.__module__.split(".")[0], kind.__name__) for kind in type(own).__mro__]
        if "multiprocessing.ApplyResult" in kinds:
            return self.add(own._pool)
        name, read = next((KINDS[kind] for kind in kinds if kind in KINDS), (None, None))
        if "asyncpg.Pool" in kinds:
            own = own._queue  # no weak reference to the pool itself is possible
        if read is read_threads and own._thread_name_prefix == "asyncio":
            name = "to_thread"
        elif read is read_threads and self.server in own._threads:
            name = "gthread"
            self.known.pop(id(own), None)  # before its first request, it looked like any other
        if read is None or id(own) in self.known:
            return
        names = {name, *["%s%d" % (name, n) for n in range(2, 6)]}.difference([known[0] for known in self.known.values()])
        if names:
            refer = weakref.ref(own, lambda _, key=id(own): self.known.pop(key, None))
            self.known[id(own)] = min(names), refer, read

    def tell(self):
        """Return an entry of Server-Timing, or "": `pools;desc="12 anyio:12:480:480:240"`.

        The number of instants, and for each pool how many of them knew it, and sums over these of its size, of those in
        use and of the calls that waited for one.
        """
        now = perf_counter()
        if not self.sums or now - self.told_at < TOLD_S:
            return ""
        told = " ".join(["%s:%d:%d:%d:%d" % (name, *sums) for name, sums in self.sums.items()])
        instants, self.instants, self.sums, self.told_at = self.instants, 0, {}, now
        return ', pools;desc="%d %s"' % (instants, told)


POOLS = Pools()


def of_semaphores(module):
    """Remember the sizes of semaphores that are made from now on."""
    original = module.Semaphore.__init__

    def begin(self, value=1, *args, **options):
        original(self, value, *args, **options)
        self.loadflame_size = value

    module.Semaphore.__init__ = begin
