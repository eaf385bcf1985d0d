"""Hands tasks to the workers, one after the other: ``python -m queue_management.manager``.

There is one of it, because whether a task may begin depends on the tasks before it: each needs
resources that no other may have meanwhile. With ``TASK_HANDOUT=manager`` every task has to pass it.
"""

from .tasks.jobs import open_reservations
from .tasks.queues import INBOX
from .tasks.task_worker import run_workers

if __name__ == "__main__":
    open_reservations().forget()
    run_workers(INBOX, 1)
