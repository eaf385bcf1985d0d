"""Hands tasks to the workers, one after the other: ``python -m queue_management.dispatcher``.

There is one dispatcher, because what it decides about a task depends on the tasks before it; with
``TASK_DISPATCHER=1`` every task has to pass it.
"""

from .tasks.queues import INBOX
from .tasks.task_worker import run_workers

if __name__ == "__main__":
    run_workers(INBOX, 1)
