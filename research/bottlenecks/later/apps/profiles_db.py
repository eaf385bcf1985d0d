"""Profiles of users: each request opens a connection of PostgreSQL and closes it."""
import os
import threading

import psycopg
from flask import Flask

app = Flask(__name__)
ADDRESS = os.environ["DATABASE_URL"]
own = threading.local()


def connect():
    if not os.environ.get("FIXED"):
        return psycopg.connect(ADDRESS)
    if not hasattr(own, "connection"):
        own.connection = psycopg.connect(ADDRESS, autocommit=True)
    return own.connection


@app.get("/users/<int:user>")
def profile(user):
    connection = connect()
    name = connection.execute("SELECT 'user ' || %s::int", [user]).fetchone()[0]
    if not os.environ.get("FIXED"):
        connection.close()
    return {"user": user, "name": name}
