"""Runs tasks: ``python -m queue_management.worker``, ``TASK_WORKERS`` processes of it."""

from .config import Config
from .tasks.lock_worker import run_lock_workers
from .tasks.queues import TASKS
from .tasks.task_worker import run_workers

if __name__ == "__main__":
    config = Config.from_env()
    if config.TASK_HANDOUT == "locks":
        run_lock_workers(config.TASK_WORKERS)
    else:
        run_workers(TASKS, config.TASK_WORKERS)
