"""Numbers invoices without gaps, and has each number stamped by a time-stamp authority."""
import os
import sqlite3
import tempfile
import threading
import urllib.request

from flask import Flask, abort, jsonify

AUTHORITY = os.environ["OTHER"]
STAMP_LATER = bool(os.environ.get("FIXED"))
LOCK_TIMEOUT_SEC = 30

app = Flask(__name__)
sequence_lock = threading.Lock()
database = sqlite3.connect(
    os.path.join(tempfile.mkdtemp(), "invoices.sqlite"), check_same_thread=False
)
database.execute("PRAGMA synchronous = OFF")
database.execute("CREATE TABLE invoices (number INTEGER PRIMARY KEY, customer TEXT)")


def fetch_stamp(customer: str) -> str:
    with urllib.request.urlopen(f"{AUTHORITY}stamp/{customer}", timeout=10) as response:
        return response.read().decode()


def insert_invoice(customer: str) -> int:
    with database:
        cursor = database.execute("INSERT INTO invoices (customer) VALUES (?)", [customer])
    return cursor.lastrowid


def number_invoice(customer: str) -> tuple[int, str]:
    stamp = None
    if not sequence_lock.acquire(timeout=LOCK_TIMEOUT_SEC):
        abort(503)
    try:
        number = insert_invoice(customer)
        if not STAMP_LATER:
            stamp = fetch_stamp(customer)
    finally:
        sequence_lock.release()
    return number, stamp or fetch_stamp(customer)


@app.get("/customers/<customer>/invoices/new")
def create_invoice(customer: str):
    number, stamp = number_invoice(customer)
    return jsonify(number=f"2026-{number:06}", stamp=stamp)
