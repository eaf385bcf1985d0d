"""Votes in SQLite: each takes the write lock first, and keeps it while it asks for a weight."""
import os
import sqlite3
import tempfile
import threading
import time

from flask import Flask

app = Flask(__name__)
PATH = os.path.join(tempfile.mkdtemp(), "votes.db")
own = threading.local()


def database():
    if not hasattr(own, "connection"):
        own.connection = sqlite3.connect(PATH, timeout=30, isolation_level=None)
        own.connection.execute("PRAGMA journal_mode=WAL")
        own.connection.execute("PRAGMA synchronous=OFF")
        own.connection.execute("CREATE TABLE IF NOT EXISTS votes (option INTEGER, weight REAL)")
    return own.connection


def weight_of(option):
    time.sleep(0.02)
    return 1 + option % 3


def cast(option):
    connection = database()
    weight = weight_of(option) if os.environ.get("FIXED") else None
    connection.execute("BEGIN IMMEDIATE")
    weight = weight or weight_of(option)
    connection.execute("INSERT INTO votes VALUES (?, ?)", (option, weight))
    connection.execute("COMMIT")


@app.get("/polls/<int:option>/vote")
def vote(option):
    cast(option)
    return {"option": option}
