"""Notes of a research assistant: a small data layer over PostgreSQL."""

import os

import psycopg
from flask import Flask, jsonify
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

URL = os.environ["DATABASE_URL"]
POOL = ConnectionPool(URL, min_size=4, kwargs={"row_factory": dict_row}) if os.environ.get("FIXED") == "1" else None
app = Flask(__name__)

with psycopg.connect(URL) as setup:
    setup.execute("CREATE TABLE notes (id int PRIMARY KEY, topic text, body text)")
    setup.execute("CREATE TABLE links (note_id int, target int)")
    setup.execute("INSERT INTO notes SELECT n, 'topic ' || n % 20, repeat('x', 200) FROM generate_series(1, 2000) n")
    setup.execute("INSERT INTO links SELECT 1 + n % 2000, 1 + n * 7 % 2000 FROM generate_series(1, 4000) n")
    setup.execute("CREATE INDEX ON notes (topic)")
    setup.execute("CREATE INDEX ON links (note_id)")


def fetch(statement, *values):
    """All rows of a statement."""
    if POOL:
        with POOL.connection() as connection:
            return connection.execute(statement, values).fetchall()
    with psycopg.connect(URL, row_factory=dict_row) as connection:  # CAUSE
        return connection.execute(statement, values).fetchall()


@app.get("/topics/<int:number>")
def show_topic(number):
    notes = fetch("SELECT id, body FROM notes WHERE topic = %s ORDER BY id LIMIT 10", f"topic {number}")
    links = fetch("SELECT note_id, target FROM links WHERE note_id = ANY(%s)", [note["id"] for note in notes])
    count = fetch("SELECT count(*) AS total FROM notes WHERE topic = %s", f"topic {number}")
    return jsonify(notes=notes, links=links, **count[0])
