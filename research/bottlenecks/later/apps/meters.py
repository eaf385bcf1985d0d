"""Meter readings: all threads share one connection of psycopg2, which runs one statement at a time."""
import os
import threading

import psycopg2
from flask import Flask

app = Flask(__name__)
ADDRESS = os.environ["DATABASE_URL"]
shared = psycopg2.connect(ADDRESS)
shared.autocommit = True
own = threading.local()


def connection():
    if not os.environ.get("FIXED"):
        return shared
    if not hasattr(own, "connection"):
        own.connection = psycopg2.connect(ADDRESS)
        own.connection.autocommit = True
    return own.connection


def last_reading(meter):
    with connection().cursor() as cursor:
        cursor.execute("SELECT %s * 3, pg_sleep(0.015)", [meter])
        return cursor.fetchone()[0]


@app.get("/meters/<int:meter>")
def meter(meter):
    return {"meter": meter, "reading": last_reading(meter)}
