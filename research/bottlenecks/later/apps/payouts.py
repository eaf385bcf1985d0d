"""Payouts: an advisory lock of PostgreSQL lets one run at a time over all workers."""
import os
import threading
import time

import psycopg
from flask import Flask

app = Flask(__name__)
own = threading.local()
count = iter(range(10**9))


def database():
    if not hasattr(own, "connection"):
        own.connection = psycopg.connect(os.environ["DATABASE_URL"])
    return own.connection


def pay_out(customer):
    key = customer if os.environ.get("FIXED") else 1
    with database().transaction():
        own.connection.execute("SELECT pg_advisory_xact_lock(%s)", [key])
        time.sleep(0.02)
        return own.connection.execute("SELECT %s * 2", [customer]).fetchone()[0]


@app.get("/payouts")
def payout():
    customer = next(count) * 8 + os.getpid() % 8
    return {"customer": customer, "amount": pay_out(customer)}
