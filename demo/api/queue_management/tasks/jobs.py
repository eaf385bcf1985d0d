"""What the dispatcher and the workers do with a task."""

import time
from functools import cache

from ..config import Config
from ..mail import send_email
from ..redis_client import connect_redis
from .queues import TaskQueues


def wait(ms: int) -> None:
    """Spend time without CPU, as a task does that waits for something else."""
    if ms:
        time.sleep(ms / 1000)


KINDS = {"noop": wait, "email": send_email}


def dispatch_task(kind: str, ms: int) -> None:
    """Look at a task, for as long as the settings say, and hand it to the workers."""
    wait(_read_config().TASK_DISPATCH_MS)
    _connect_queues().hand_over(kind, ms)


def run_task(kind: str, ms: int) -> None:
    """Do a task."""
    queues = _connect_queues()
    queues.count("started")
    try:
        KINDS[kind](ms)
    except Exception:
        queues.count("failed")
        raise
    queues.count("completed")


@cache
def _read_config() -> Config:
    return Config.from_env()


@cache
def _connect_queues() -> TaskQueues:
    config = _read_config()
    return TaskQueues(connect_redis(config.TASK_QUEUE_URL), config.TASK_DISPATCHER)
