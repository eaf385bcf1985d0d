"""Ticket numbers from PostgreSQL: one row counts them all."""
import os

from flask import Flask, jsonify
from psycopg_pool import ConnectionPool

SCHEMA = """
CREATE TABLE IF NOT EXISTS counters (name text PRIMARY KEY, last bigint NOT NULL);
INSERT INTO counters VALUES ('tickets', 0) ON CONFLICT DO NOTHING;
CREATE SEQUENCE IF NOT EXISTS ticket_numbers;
"""
FROM_ROW = "UPDATE counters SET last = last + 1 WHERE name = 'tickets' RETURNING last"
FROM_SEQUENCE = "SELECT nextval('ticket_numbers')"
NEXT_NUMBER = FROM_SEQUENCE if os.environ.get("FIXED") else FROM_ROW
FRAUD_CHECK = "SELECT pg_sleep(0.025)"

app = Flask(__name__)
pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=16, max_size=16, open=True)
with pool.connection() as setup:
    setup.execute(SCHEMA)


def issue_ticket(event: int) -> str:
    with pool.connection() as connection:
        row = connection.execute(NEXT_NUMBER).fetchone()
        connection.execute(FRAUD_CHECK)
    return f"{event}-{row[0]:08}"


@app.get("/events/<int:event>/tickets/new")
def new_ticket(event: int):
    return jsonify(event=event, ticket=issue_ticket(event))
