"""Hits of pages, counted in one row, over PostgreSQL's socket file. Each writes first, and ends its transaction late."""
import os
import threading
import time

import psycopg
from flask import Flask

app = Flask(__name__)
ADDRESS = os.environ["DATABASE_URL"]
own = threading.local()

with psycopg.connect(ADDRESS) as first:
    first.execute("CREATE TABLE IF NOT EXISTS hits (page int PRIMARY KEY, n int)")
    first.execute("INSERT INTO hits SELECT n, 0 FROM generate_series(1, 1000) n ON CONFLICT DO NOTHING")
    FOLDER = first.execute("SHOW unix_socket_directories").fetchone()[0]


def database():
    if not hasattr(own, "connection"):
        own.connection = psycopg.connect(ADDRESS, host=FOLDER)
    return own.connection


def render():
    time.sleep(0.02)


def hit(page):
    with database().transaction():
        own.connection.execute("UPDATE hits SET n = n + 1 WHERE page = %s", [page])
        render()


count = iter(range(10**9))


@app.get("/hits")
def hits():
    page = 1 + next(count) % 1000 if os.environ.get("FIXED") else 1
    hit(page)
    return {"page": page}
