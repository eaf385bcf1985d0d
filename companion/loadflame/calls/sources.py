"""All libraries whose calls are counted."""

import sys
from functools import partial

from ..arrivals import call_back, find_owner
from ..requests import SHARED
from ..settings import write_line
from .acts import hear_act
from .connections import OF_POSTGRES, follow_making, of_uvloop
from .databases import EXECUTE, FETCH, of_aiosqlite, of_asyncpg, of_django, of_driver, of_psycopg2
from .databases import of_psycopg_pool, of_sqlalchemy, of_sqlalchemy_asyncio, of_sqlite3
from .follow import follow_rows_of
from .services import of_aiohttp, of_httpx, of_pymongo, of_redis, of_urllib3

SOURCES = (
    ("sqlalchemy", of_sqlalchemy),
    ("sqlalchemy.ext.asyncio", of_sqlalchemy_asyncio),
    ("django.db.backends.utils", of_django),
    ("django.db.backends.sqlite3.base", lambda module: follow_rows_of(module.SQLiteCursorWrapper)),
    ("psycopg", partial(of_driver, "postgresql", "Cursor AsyncCursor ServerCursor AsyncServerCursor", EXECUTE)),
    ("psycopg._connection_base", lambda module: follow_making(module.BaseConnection, "_connect_gen", *OF_POSTGRES)),
    ("psycopg_pool", of_psycopg_pool),
    ("psycopg2", of_psycopg2),
    ("ssl", lambda module: follow_making(module.SSLContext, "__new__", "tls", None, "make a TLS context")),
    ("uvloop", of_uvloop),
    ("asyncpg.connection", partial(of_driver, "postgresql", "Connection", FETCH)),
    ("asyncpg", of_asyncpg),
    ("sqlite3", of_sqlite3),
    ("pymysql.cursors", partial(of_driver, "mysql", "Cursor", EXECUTE)),
    ("MySQLdb.cursors", partial(of_driver, "mysql", "BaseCursor", EXECUTE)),
    ("aiosqlite", of_aiosqlite),
    ("redis.client", of_redis),
    ("redis.asyncio.client", of_redis),
    ("pymongo", of_pymongo),
    ("urllib3.connectionpool", of_urllib3),
    *((package, of_httpx) for package in ("httpx", "httpx2")),
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

    call_back({name: partial(follow_module, name, source) for name, source in SOURCES}, SHARED)
    sys.addaudithook(hear_act)  # Python keeps it until the process ends
