"""Runs tasks: ``python -m queue_management.worker``, ``TASK_WORKERS`` processes of it."""

from .config import Config
from .tasks.queues import TASKS
from .tasks.task_worker import run_workers

if __name__ == "__main__":
    run_workers(TASKS, Config.from_env().TASK_WORKERS)
