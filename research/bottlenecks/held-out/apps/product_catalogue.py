"""Products from SQLite, priced by another service while the connection is borrowed."""
import os
import queue
import sqlite3
import tempfile
from contextlib import contextmanager

import requests
from flask import Flask, abort, jsonify

PRICES = os.environ["OTHER"]
CONNECTIONS = 16 if os.environ.get("FIXED") else 2
PATH = os.path.join(tempfile.mkdtemp(), "products.sqlite")

app = Flask(__name__)


class Connections:
    """SQLite connections that threads borrow."""

    def __init__(self, path: str, size: int) -> None:
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        for _ in range(size):
            self._idle.put(sqlite3.connect(path, check_same_thread=False))

    @contextmanager
    def borrow(self):
        connection = self._idle.get()
        try:
            yield connection
        finally:
            self._idle.put(connection)


with sqlite3.connect(PATH) as setup:
    setup.execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT)")
    setup.executemany("INSERT INTO products VALUES (?, ?)", [(n, f"P-{n}") for n in range(500)])
connections = Connections(PATH, CONNECTIONS)


def fetch_price(product: int) -> int:
    response = requests.get(f"{PRICES}prices/{product}", timeout=10)
    response.raise_for_status()
    return response.json()["value"]


@app.get("/products/<int:product>")
def show(product: int):
    with connections.borrow() as database:
        row = database.execute("SELECT name FROM products WHERE id = ?", [product]).fetchone()
        if row is None:
            abort(404)
        price = fetch_price(product)
    return jsonify(id=product, name=row[0], price=price)
