"""The database: one engine per process, one session per request."""

import sqlite3
import time

from flask import Flask, current_app, g
from sqlalchemy import Engine, create_engine, event, func, select
from sqlalchemy.orm import Session, sessionmaker

from .config import Config

# how long a writer waits for another one before "database is locked"
_BUSY_TIMEOUT_MS = 15_000


def create_db_engine(url: str, pool_size: int = 1) -> Engine:
    """An engine for SQLite or PostgreSQL with as many connections as there are threads."""
    engine = create_engine(url, pool_size=pool_size, max_overflow=4, pool_timeout=10)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _configure_sqlite)
    return engine


def init_app(app: Flask, config: Config) -> None:
    """Give the application an engine, and close the session of each request at its end."""
    engine = create_db_engine(config.DATABASE_URL, config.DATABASE_POOL_SIZE)
    app.extensions["sessions"] = sessionmaker(engine, expire_on_commit=False)
    app.extensions["slow_query_seconds"] = config.SLOW_QUERY_MS / 1000
    app.teardown_appcontext(_close_session)


def get_session() -> Session:
    """The session of the current request."""
    if "session" not in g:
        g.session = current_app.extensions["sessions"]()
        if seconds := current_app.extensions["slow_query_seconds"]:
            g.session.execute(select(func.pg_sleep(seconds)))
    return g.session


def _close_session(_error: BaseException | None) -> None:
    session = g.pop("session", None)
    if session is not None:
        session.close()


def _configure_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    """Readers and one writer at a time, without waiting for each other; queries can be slow."""
    connection.create_function("pg_sleep", 1, time.sleep)
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()
