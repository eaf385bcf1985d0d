"""A tracking server whose users log in with a password in each request."""

import hashlib
import os
import sqlite3
import time

from flask import Flask, abort, g, jsonify, request
from werkzeug.security import check_password_hash, generate_password_hash

DATABASE = os.path.join(os.environ["FOLDER"], "tracking.sqlite")
REMEMBER = os.environ.get("FIXED") == "1"
REMEMBERED_SECONDS = 60
app = Flask(__name__)
verified = {}

with sqlite3.connect(DATABASE) as setup:
    setup.execute("CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT)")
    setup.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT, metric REAL)")
    password = generate_password_hash("tracking", method="pbkdf2:sha256:120000")
    setup.execute("INSERT INTO users VALUES ('ada', ?)", (password,))
    setup.executemany("INSERT INTO runs VALUES (?, ?, ?)", [(n, f"run {n}", n / 7) for n in range(300)])


def database():
    if "database" not in g:
        g.database = sqlite3.connect(DATABASE)
    return g.database


@app.teardown_appcontext
def close(_error):
    if "database" in g:
        g.database.close()


def is_known(name, password):
    row = database().execute("SELECT password FROM users WHERE name = ?", (name,)).fetchone()
    if row is None:
        return False
    if not REMEMBER:
        return check_password_hash(row[0], password)  # CAUSE
    key = (name, hashlib.sha256(f"{row[0]}:{password}".encode()).digest())
    if time.monotonic() - verified.get(key, float("-inf")) < REMEMBERED_SECONDS:
        return True
    if not check_password_hash(row[0], password):
        return False
    verified[key] = time.monotonic()
    return True


@app.before_request
def log_in():
    given = request.authorization
    if given is None or not is_known(given.username, given.password):
        abort(401)


@app.get("/runs")
def list_runs():
    rows = database().execute("SELECT id, name, metric FROM runs ORDER BY id LIMIT 100")
    return jsonify([{"id": id, "name": name, "metric": metric} for id, name, metric in rows])
