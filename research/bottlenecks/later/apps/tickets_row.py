"""Tickets of one event: each buyer locks the row of the event, and the payment happens under the lock."""
import os
import threading
import time

import psycopg
from flask import Flask

app = Flask(__name__)
own = threading.local()


def database():
    if not hasattr(own, "connection"):
        own.connection = psycopg.connect(os.environ["DATABASE_URL"])
    return own.connection


with psycopg.connect(os.environ["DATABASE_URL"]) as first:
    first.execute("CREATE TABLE IF NOT EXISTS events (id int PRIMARY KEY, seats int)")
    first.execute("INSERT INTO events SELECT n, 1000000 FROM generate_series(1, 1000) n ON CONFLICT DO NOTHING")


def pay(event):
    time.sleep(0.02)


def buy(event):
    with database().transaction():
        query = "SELECT seats FROM events WHERE id = %s FOR UPDATE"
        seats = own.connection.execute(query, [event]).fetchone()[0]
        pay(event)
        own.connection.execute("UPDATE events SET seats = seats - 1 WHERE id = %s", [event])
    return seats


count = iter(range(10**9))


@app.get("/tickets")
def ticket():
    event = 1 + next(count) % 1000 if os.environ.get("FIXED") else 1
    return {"event": event, "left": buy(event)}
