"""Hands tasks to the workers, one after the other: ``python -m queue_management.manager``.

There is one of it, because whether a task may begin depends on the tasks before it: each needs
resources that no other may have meanwhile. With ``TASK_HANDOUT=manager`` every task has to pass it.
"""

from .config import Config
from .database import create_db_engine
from .tasks.queues import INBOX
from .tasks.reservations import Reservations
from .tasks.task_worker import run_workers

if __name__ == "__main__":
    engine = create_db_engine(Config.from_env().DATABASE_URL)
    Reservations(engine).forget()
    # the process that is forked opens connections of its own
    engine.dispose()
    run_workers(INBOX, 1)
