"""What the manager and the workers do with a task."""

import time
from functools import cache

from ..config import Config
from ..database import create_db_engine
from ..mail import send_email
from ..redis_client import connect_redis
from .queues import TaskQueues
from .reservations import Reservations


def wait(ms: int) -> None:
    """Spend time without CPU, as a task does that waits for something else."""
    if ms:
        time.sleep(ms / 1000)


def email(_ms: int) -> None:
    """Send one: how long that takes is the mail server's affair."""
    send_email(_read_config().SMTP_SERVER)


KINDS = {"noop": wait, "email": email}


def dispatch_task(kind: str, ms: int, task: str, resources: list[int]) -> None:
    """Reserve what a task needs, and hand it to the workers."""
    open_reservations().reserve(task, resources)
    _connect_queues().hand_over(kind, ms, task)


def run_task(kind: str, ms: int, task: str | None = None) -> None:
    """Do a task, and release what was reserved for it."""
    queues = _connect_queues()
    queues.count("started")
    try:
        KINDS[kind](ms)
    except Exception:
        queues.count("failed")
        raise
    finally:
        if task is not None:
            open_reservations().release(task)
    queues.count("completed")


@cache
def open_reservations() -> Reservations:
    """Those of the settings' database."""
    return Reservations(create_db_engine(_read_config().DATABASE_URL))


@cache
def _read_config() -> Config:
    return Config.from_env()


@cache
def _connect_queues() -> TaskQueues:
    config = _read_config()
    return TaskQueues(connect_redis(config.TASK_QUEUE_URL))
