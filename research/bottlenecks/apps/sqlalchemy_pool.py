"""Two connections in the pool, and queries of 30 ms."""
import time
from flask import Flask
from known import FIXED
from sqlalchemy import create_engine, event, text
from sqlalchemy.pool import QueuePool

app = Flask(__name__)
engine = create_engine(
    "sqlite://",
    poolclass=QueuePool,
    pool_size=16 if FIXED else 2,
    max_overflow=0,
    connect_args={"check_same_thread": False},
)


@event.listens_for(engine, "connect")
def add_pause(connection, _record):
    connection.create_function("pause", 1, time.sleep)


@app.get("/")
def query():
    with engine.connect() as connection:
        return {"row": connection.execute(text("SELECT pause(0.03), 1")).scalar()}
