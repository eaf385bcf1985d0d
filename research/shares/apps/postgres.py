"""Queries of a PostgreSQL (SHARES_POSTGRES) beside Python work on the rows."""

import os

import psycopg

PARTS = ["small_queries", "many_rows", "use_rows"]
_free = []


def _take():
    return _free.pop() if _free else psycopg.connect(os.environ["SHARES_POSTGRES"], autocommit=True)


def small_queries():
    connection = _take()
    for i in range(6):
        connection.execute("select %s::int + 1", (i,)).fetchone()
    _free.append(connection)


def many_rows():
    connection = _take()
    rows = connection.execute("select i, 'citizen ' || i from generate_series(1, 600) i").fetchall()
    _free.append(connection)
    return rows


def use_rows():
    text = []
    for i in range(9_000):
        text.append(f"{i}:{i & 15}")
    return ",".join(text)


def request():
    small_queries()
    many_rows()
    use_rows()
