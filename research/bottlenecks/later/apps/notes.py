"""Notes in SQLite: a transaction writes first, and does something slow before it ends."""
import os
import sqlite3
import tempfile
import threading
import time

from flask import Flask

app = Flask(__name__)
PATH = os.path.join(tempfile.mkdtemp(), "notes.db")
own = threading.local()


def database():
    if not hasattr(own, "connection"):
        own.connection = sqlite3.connect(PATH, timeout=60)
        own.connection.execute("PRAGMA journal_mode=WAL")
        own.connection.execute("PRAGMA synchronous=OFF")
        own.connection.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER, text TEXT)")
    return own.connection


def preview(number):
    time.sleep(0.02)
    return f"note {number}"


def save(number):
    connection = database()
    text = preview(number) if os.environ.get("FIXED") else None
    connection.execute("INSERT INTO notes VALUES (?, ?)", (number, text))
    if text is None:
        connection.execute("UPDATE notes SET text = ? WHERE id = ?", (preview(number), number))
    connection.commit()


@app.get("/notes/<int:number>")
def note(number):
    save(number)
    return {"note": number}
