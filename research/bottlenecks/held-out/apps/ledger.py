"""Books payments: a slow check of the account, then an entry in the journal, one at a time."""
import os
import threading

from flask import Flask, jsonify
from psycopg_pool import ConnectionPool

POOL_SIZE = 16 if os.environ.get("FIXED") else 1
CHECK_SEC = 0.025

SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
    entry bigserial PRIMARY KEY, account int NOT NULL, cents int NOT NULL)
"""

app = Flask(__name__)
pool = ConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=POOL_SIZE,
    max_size=POOL_SIZE,
    timeout=60,
    open=True,
    kwargs={"options": "-c synchronous_commit=off"},
)
journal_lock = threading.Lock()
with pool.connection() as setup:
    setup.execute(SCHEMA)


def check_account(account: int) -> bool:
    with pool.connection() as connection:
        row = connection.execute(
            "SELECT %s::int > 0, pg_sleep(%s)", [account, CHECK_SEC]
        ).fetchone()
    return row is not None and row[0]


def write_entry(account: int, cents: int) -> int:
    with journal_lock:
        with pool.connection() as connection:
            row = connection.execute(
                "INSERT INTO journal (account, cents) VALUES (%s, %s) RETURNING entry",
                [account, cents],
            ).fetchone()
    return row[0]


@app.get("/accounts/<int:account>/pay/<int:cents>")
def pay(account: int, cents: int):
    if not check_account(account):
        return jsonify(error="account is closed"), 409
    return jsonify(entry=write_entry(account, cents))
