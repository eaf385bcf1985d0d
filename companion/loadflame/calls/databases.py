"""Drivers, ORMs and pools of databases, whose calls are counted."""

import functools
import sys
from time import perf_counter

from ..frames import FRAMES
from ..requests import CALLER, is_over
from .connections import OF_POSTGRES, follow_making
from .follow import follow_calls_of, follow_ends_of, follow_pings_of, follow_rows_of, follow_waits_of
from .places import show_lines


def describe_sql(system):
    """Describe statements that are given to a driver of a system."""
    return lambda _self, args, options: ("sql", system, args[0] if args else next(iter(options.values())))


EXECUTE = ("execute", "executemany")
FETCH = (*EXECUTE, "fetch", "fetchrow", "fetchval", "fetchmany")


def of_sqlalchemy(sqlalchemy):
    """Count what any engine executes (events of engines cost three times as much), and waits for its pool."""
    from sqlalchemy.engine.default import DefaultDialect
    from sqlalchemy.util import queue

    # not around its __init__: SQLAlchemy reads from the code of that which arguments it takes
    sqlalchemy.engine.Engine.__new__ = staticmethod(lambda cls, *_args, **_options: object.__new__(cls))
    follow_making(sqlalchemy.engine.Engine, "__new__", "engine", None, "make an engine of SQLAlchemy")
    names = ("do_execute", "do_execute_no_params", "do_executemany")
    follow_calls_of(DefaultDialect, names, lambda self, args, _: ("sql", self.name, args[1]), is_dialect=True)
    follow_ends_of(DefaultDialect, ("do_commit", "do_rollback"))
    follow_pings_of(DefaultDialect, "do_ping", "_do_ping_w_event")
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
            return sqlite3.Connection.cursor(self, Cursor).execute(*args)

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
    follow_rows_of(Cursor)
    follow_ends_of(Connection)
    sqlite3.connect = sqlite3.dbapi2.connect = functools.wraps(original)(connect)


def of_psycopg2(psycopg2):
    """Count statements; a connection makes cursors of a class of this file unless it is given another one."""
    from psycopg2 import extensions, extras

    original = psycopg2.connect

    class Cursor(extensions.cursor):
        pass

    def connect(*args, **options):
        sys.audit("loadflame.act", *OF_POSTGRES)
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
    follow_ends_of(asyncpg.transaction.Transaction, ("_Transaction__commit", "_Transaction__rollback"))
    follow_waits_of(asyncpg.pool.Pool, "_acquire")


def of_aiosqlite(aiosqlite):
    """Count statements, which run in a thread of the connection."""
    names = (*EXECUTE, "executescript", "_execute_insert", "_execute_fetchall")

    def describe(_self, args, _options):
        return ("sql", "sqlite", args[1]) if args[0].__name__ in names else None

    follow_ends_of(aiosqlite.Connection)
    follow_calls_of(aiosqlite.Connection, ["_execute"], describe)


def of_django(utils):
    """Count what goes through the connections of Django."""
    from django.db.backends.base.base import BaseDatabaseWrapper

    follow_ends_of(BaseDatabaseWrapper, ("_commit", "_rollback"))
    follow_pings_of(BaseDatabaseWrapper, "close_if_health_check_failed")
    follow_calls_of(utils.CursorWrapper, ("_execute", "_executemany"), lambda self, args, _: ("sql", self.db.vendor, args[0]))


def of_psycopg_pool(module):
    """Count waits for connections: newer versions check one after the wait, which is no part of it."""
    for owner in (module.ConnectionPool, module.AsyncConnectionPool):
        follow_waits_of(owner, "_getconn_unchecked" if hasattr(owner, "_getconn_unchecked") else "getconn")


def of_driver(system, kinds, names, module):
    """Count what methods of classes of a module execute."""
    for kind in kinds.split():
        follow_calls_of(getattr(module, kind), names, describe_sql(system))
    for kind in ("Connection", "AsyncConnection"):
        follow_ends_of(getattr(module, kind, None))


def of_sqlalchemy_asyncio(_asyncio):
    """Run what coroutines hand to greenlets of SQLAlchemy below the frames of their request and of the lines of the app: a stack begins there."""
    shim = getattr(sys.modules["sqlalchemy.util.concurrency"], "_concurrency_shim", None)
    owner = shim or sys.modules["sqlalchemy.util._concurrency_py3k"]
    made = owner._AsyncIoGreenlet.__init__

    def init(self, call, driver):
        caller = CALLER.get()
        try:
            call = call if caller is None or is_over(caller) else in_frames((caller.route, *show_lines(sys._getframe())), call)
        except Exception:
            pass  # a line that no code can have
        made(self, call, driver)

    def in_frames(frames, call):
        return lambda *args, **options: FRAMES.of_time(perf_counter())(*frames, functools.partial(call, *args, **options))

    owner._AsyncIoGreenlet.__init__ = init
