"""Follows methods that make calls: their time, their rows, and waits for connections."""

import collections.abc
import functools
import inspect
import types
import weakref
from random import Random
from time import perf_counter

from ..arrivals import put_around
from ..frames import rename
from ..requests import CALLER, INSIDE, is_over
from ..settings import thread_time
from .find import SKIP, find_call
from .ledger import COMMIT, HELD, POOL, count_call, count_cpu, keep_few
from .places import find_parent
from .turns import Turn

# names of frames around calls: a driver written in C has no frame itself
QUERY_FRAME, REQUEST_FRAME = "followed_query", "followed_request"


def go_on(inside, begun):
    """Go on inside of a call or out of it: it takes its turn at a service, or leaves."""
    INSIDE.set(inside)
    if type(begun[-1]) is Turn:
        begun[-1].toggle()


EACH, draw = 8, Random().random  # one call of eight is timed: to read the clock of a thread is slow


def follow(owner, name, begin, end, frame_name=QUERY_FRAME):
    """Call begin(request, self, args, options) before a method, and end(begun, seconds, self, result) if it was begun."""

    def follow_method(original):
        is_async = inspect.iscoroutinefunction(original)

        @functools.wraps(original)  # Python names it where it warns that it is never awaited
        async def wait(begun, self, make, own):
            result, before = None, INSIDE.get()
            go_on(begun, begun)
            started = perf_counter()
            try:
                result = await make()
                return result
            finally:
                finish(begun, before, (perf_counter() - started, self, result), own, None)  # others run meanwhile

        def finish(begun, before, about, own, called):
            ended = own and thread_time()
            try:
                end(begun, *about)
            except Exception:
                pass
            go_on(before, begun)
            if ended:
                # no other greenlet runs on this thread meanwhile
                is_known = called and getattr(CALLER.get(), "greenlet", None) is None and find_parent(None) is None
                inside = 0.0 if before else ended - called if is_known else None
                count_cpu(CALLER.get(), EACH * (own + thread_time() - ended), inside and EACH * inside)

        @functools.wraps(original)
        def followed(self, *args, **options):
            caller, before, begun = CALLER.get(), INSIDE.get(), None
            # no request, or another library makes the call for one that is counted
            if caller is not None and (before is None or before[0] is not caller):
                entered = thread_time() if thread_time is not None and draw() * EACH < 1 else None
                try:
                    begun = begin(caller, self, args, options)
                except Exception:
                    pass
            if begun is None:
                return original(self, *args, **options)
            if is_async:  # called when it is awaited: what is cancelled before was never called
                return wait(begun, self, functools.partial(original, self, *args, **options), entered and thread_time() - entered)
            result, is_over = None, True
            go_on(begun, begun)
            called = entered and thread_time()
            own, started = called and called - entered, perf_counter()
            try:
                result = original(self, *args, **options)
                is_over = type(result) is not types.CoroutineType
                return result if is_over else wait(begun, self, lambda made=result: made, own)
            finally:
                about = perf_counter() - started, self, result
                if is_over:
                    finish(begun, before, about, own, called)
                else:
                    go_on(before, begun)

        for function in (wait, followed):
            function.__code__ = rename(function.__code__, frame_name)
        return followed

    put_around(owner, name, follow_method)


LAST_ENDED = {}  # id of a driver's connection -> when its last statement ended


def follow_calls_of(owner, names, describe, is_dialect=False, frame_name=QUERY_FRAME):
    """Count the calls of methods; describe(self, args, options) gives kind, system and text."""

    def begin(caller, self, args, options):
        told = None if caller.ended is not None and is_over(caller) else describe(self, args, options)
        call = SKIP if told is None else find_call(*told)
        if call is SKIP:
            return None
        return caller, call, args[0] if is_dialect else self, told, Turn(told[2]) if told[0] == "http" else None

    def end(begun, seconds, _self, result):
        caller, call, cursor, told, turn = begun
        if call is None or call.kind != "sql":
            quickest_us = turn and turn.end(seconds)
            status = getattr(result, "status_code", getattr(result, "status", None))
            if told[0] == "http" and type(status) is int and status >= 400:  # counts apart: a reason of retries
                call = find_call("http", None, "%s: %d" % (told[2], status))
            return count_call(caller, call, seconds, quickest_us, is_transaction_open(caller))
        connection = getattr(cursor, "connection", None) or getattr(cursor, "_connection", cursor)
        # how long it waited for others on its connection, which executes one at a time; below 0: not
        now, key = perf_counter(), id(connection)
        before = LAST_ENDED.get(key, 0.0)
        if not before:
            keep_few(LAST_ENDED)
        LAST_ENDED[key] = now
        waited = before - (now - seconds)
        if waited > POOL_WAIT_S:
            count_call(caller, POOL, waited)
            seconds -= waited
        rows = count_rows(cursor, result)
        count_call(caller, call, seconds, rows)
        # Django's has any attribute of the driver's that it holds
        of_driver = cursor if hasattr(type(cursor), "counts_for") else getattr(cursor, "cursor", None)
        if of_driver is cursor or hasattr(of_driver, "counts_for"):
            of_driver.counts_for = (caller, call) if rows is None else None
        remember(caller, connection, seconds)

    for name in names:
        follow(owner, name, begin, end, frame_name)


POOL_WAIT_S = 0.0002


def follow_waits_of(owner, name):
    """Count how long a method waits for a connection of a pool."""

    def end(begun, seconds, _self, _result):
        if seconds > POOL_WAIT_S:
            count_call(begun[1], POOL, seconds)

    # what is called meanwhile counts by itself
    follow(owner, name, lambda caller, *_: (None, caller), end)


def follow_pings_of(owner, *names):
    """Count nothing of methods that see whether a connection still works: their statements are not the app's."""
    for name in names:
        follow(owner, name, lambda caller, *_: (caller,), lambda *_: None)


def count_rows(cursor, result):
    """Return the number of rows, where it is known."""
    if type(result) is list:
        return len(result)
    rows = getattr(cursor, "rowcount", None)
    if type(rows) is int and rows >= 0:
        return rows
    fetched = getattr(cursor, "_rows", None)  # by SQLAlchemy for a driver of asyncio
    return len(fetched) if type(fetched) is collections.deque else None


def follow_rows_of(owner):
    """Count rows when they are fetched, and the time in which they are found: the driver does not know them before."""

    def count(self, seconds, rows):
        if self.counts_for is not None:
            caller, call = self.counts_for
            if caller.ledger:
                caller.ledger.times.append((call, seconds, rows, None))

    def follow_fetch(name, original):
        @functools.wraps(original)
        def fetch(self, *args, **options):
            started = perf_counter()
            result = original(self, *args, **options)
            count(self, perf_counter() - started, len(result) if type(result) is list else int(result is not None))
            return result

        setattr(owner, name, fetch)

    def fetch(self):
        rows = 0  # a clock read for each would cost as much as the row
        try:
            while True:
                try:
                    row = next(self)
                except StopIteration:
                    return
                rows += 1
                yield row
        finally:
            count(self, 0.0, rows)

    owner.counts_for = owner._rows = None  # what each cursor is asked for: to miss it takes longer
    owner.__iter__ = fetch
    for name in ("fetchone", "fetchmany", "fetchall"):
        follow_fetch(name, getattr(owner, name))


OWNERS = {}  # id of a driver's connection -> when its last request began, the connection, when its open transaction did


def remember(caller, connection, seconds):
    """Remember which request used a connection last, and its open transaction: its last statement took these seconds."""
    known = OWNERS.get(id(connection))
    if known is None or known[0] != caller.started:
        keep_few(OWNERS)
        refer = weakref.ref(connection) if type(connection).__weakrefoffset__ else type(None)  # some of C have none
        known = OWNERS[id(connection)] = (caller.started, refer, None)
    if known[2] is None and has_transaction(connection):
        OWNERS[id(connection)] = (*known[:2], perf_counter() - seconds)


def follow_ends_of(owner, names=("commit", "rollback")):
    """Count commits, and how long transactions were open: methods of a driver's connection or its wrapper."""

    def end(begun, seconds, _self, _result):
        caller, since, name = begun
        count_call(caller, HELD, perf_counter() - since)
        if "commit" in name:
            count_call(caller, COMMIT, seconds)

    def begin(name, caller, self, args, _):
        one = args[0] if args else self
        one = getattr(one, "dbapi_connection", one)  # SQLAlchemy warns of its other name, which is slow
        for attribute in (None, "connection", "_connection"):
            connection = getattr(one, attribute, None) if attribute else one
            known = OWNERS.get(id(connection))
            if known is not None and known[0] == caller.started and known[2] and has_transaction(connection):
                del OWNERS[id(connection)]
                return caller, known[2], name
        return None

    for name in names:
        follow(owner, name, functools.partial(begin, name), end)


def is_transaction_open(caller):
    """Return whether a transaction of a request is open."""
    return any([has_transaction(refer()) for started, refer, _ in list(OWNERS.values()) if started == caller.started])


def has_transaction(connection):
    """Return what a driver knows: sqlite3 and aiosqlite, asyncpg, psycopg and psycopg2, PyMySQL. None has none."""
    for name in ("in_transaction", "is_in_transaction"):
        told = getattr(connection, name, None)
        if told is not None:
            return told() if callable(told) else told
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    return status in (1, 2, 3) if status is not None else bool(getattr(connection, "server_status", 0) & 1)
