"""CPU per part of an app, by the clock of the thread that runs it.

Each part is a function; its clock is read before and after it, so a part has to be long (200 us and more)
compared with the clock (0.3 us). The sums stand in a file that the bench maps, one per process: a row per
thread, in it the CPU of the whole process, the requests, and the CPU of each part, in seconds. Between
rows nothing is shared, so no lock is needed. Greenlets share a thread: what another one uses while a part
has given up the thread is not counted to it.
"""

import functools
import mmap
import os
import threading
import time

ROWS, COLUMNS = 64, 16
CPU, REQUESTS, FIRST_PART = 0, 1, 2
thread_time = time.thread_time


class _Plain:
    """Greenlets patch `threading.local` to be theirs; all of them are one thread."""


_local = _Plain() if os.environ.get("SHARES_GREENLETS") else threading.local()
_lock = threading.Lock()
_file = {"pid": 0, "view": None, "rows": 0}


def _open():
    """The file of this process: a worker is forked after the import."""
    path = os.path.join(os.environ["SHARES_CLOCKS"], f"{os.getpid()}.clock")
    with open(path, "wb+") as file:
        file.truncate(ROWS * COLUMNS * 8)
        view = memoryview(mmap.mmap(file.fileno(), ROWS * COLUMNS * 8)).cast("d")
    _file.update(pid=os.getpid(), view=view, rows=0)


def _row():
    if getattr(_local, "pid", 0) != os.getpid():
        with _lock:
            if _file["pid"] != os.getpid():
                _open()
            first = _file["rows"] * COLUMNS
            _file["rows"] += 1
        _local.row = _file["view"][first : first + COLUMNS]
        _local.pid = os.getpid()
    return _local.row


def tick():
    """A request has ended."""
    row = _row()
    row[CPU] = time.process_time()
    row[REQUESTS] += 1


def measured(part, function):
    """The function, with its CPU counted to `part`, an index."""
    column = FIRST_PART + part

    @functools.wraps(function)
    def timed(*args, **options):
        row = getattr(_local, "row", None) or _row()
        started = thread_time()
        try:
            return function(*args, **options)
        finally:
            row[column] += thread_time() - started

    return timed


def measured_greenlet(part, function):
    """As `measured`, where the function may give the thread to another greenlet."""
    import greenlet

    column = FIRST_PART + part

    @functools.wraps(function)
    def timed(*args, **options):
        row = _row()
        if not getattr(_local, "traced", False):
            _local.traced = True
            _local.open = {}
            greenlet.settrace(_trace)
        own = greenlet.getcurrent()
        entry = _local.open[own] = [column, thread_time()]
        try:
            return function(*args, **options)
        finally:
            row[column] += thread_time() - entry[1]
            del _local.open[own]

    return timed


def _trace(_event, switch):
    origin, target = switch
    began, entered = _local.open.get(origin), _local.open.get(target)
    if began is None and entered is None:
        return
    now = thread_time()
    if began is not None:
        _local.row[began[0]] += now - began[1]
    if entered is not None:
        entered[1] = now


class Steps:
    """An awaitable that counts the CPU of each step of a coroutine."""

    def __init__(self, column, coroutine):
        self.column, self.coroutine = column, coroutine

    def __await__(self):
        row, send, value = _row(), self.coroutine.send, None
        while True:
            started = thread_time()
            try:
                waits_for = send(value)
            except StopIteration as end:
                return end.value
            finally:
                row[self.column] += thread_time() - started
            value = yield waits_for


def measured_async(part, function):
    """As `measured`, of a coroutine function."""
    column = FIRST_PART + part

    @functools.wraps(function)
    def timed(*args, **options):
        return Steps(column, function(*args, **options))

    return timed
