"""Queries of SQLite (C code that releases the GIL for each step) beside Python work on the rows."""

import os
import sqlite3
import tempfile
import threading

PARTS = ["many_queries", "big_query", "use_rows"]
FILE = os.path.join(tempfile.mkdtemp(prefix="shares-"), "data.sqlite")
_local = threading.local()
with sqlite3.connect(FILE) as _db:
    _db.execute("create table citizen (id integer primary key, name text, office integer)")
    _db.executemany(
        "insert into citizen (name, office) values (?, ?)",
        [(f"citizen {i}", i % 40) for i in range(4_000)],
    )


def _database():
    if not hasattr(_local, "database"):
        _local.database = sqlite3.connect(FILE)
    return _local.database


def many_queries():
    database = _database()
    for i in range(80):
        database.execute("select name from citizen where id = ?", (i * 37 + 1,)).fetchone()


def big_query():
    return _database().execute(
        "select office, count(*), max(name) from citizen group by office order by 2, 3"
    ).fetchall()


def use_rows():
    text = []
    for i in range(9_000):
        text.append(f"{i}:{i & 15}")
    return ",".join(text)


def request():
    many_queries()
    big_query()
    use_rows()
