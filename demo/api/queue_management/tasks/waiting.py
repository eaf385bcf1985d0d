"""Tasks that wait in PostgreSQL, and how a worker takes one without anybody who hands them out."""

from typing import NamedTuple

from sqlalchemy import Connection, Engine, delete, func, insert, select, text
from sqlalchemy.orm import Session

from .models import WaitingTask, choose_resources

# so many of the oldest are tried before a worker looks again
_LOOKED_AT = 32
_TASK, _RESOURCE = 1, 2
_TRY = text("SELECT pg_try_advisory_lock(:space, :key)")
_UNLOCK = text("SELECT pg_advisory_unlock_all()")


class Taken(NamedTuple):
    """A task that no other worker has, with resources that no other task has."""

    task_id: int
    kind: str
    ms: int


class WaitingTasks:
    """What the API does with them; safe to share between threads."""

    def __init__(self, engine: Engine):
        self._engine = engine

    def add(self, kind: str, ms: int, count: int) -> None:
        """Let so many wait."""
        rows = [
            {"kind": kind, "ms": ms, "first": first, "second": second}
            for first, second in (choose_resources() for _ in range(count))
        ]
        with Session(self._engine) as session:
            session.execute(insert(WaitingTask), rows)
            session.commit()

    def count(self) -> int:
        """How many are there, with those that are being worked on."""
        with Session(self._engine) as session:
            return session.scalar(select(func.count()).select_from(WaitingTask)) or 0

    def forget(self) -> None:
        """Nobody is going to do what waits."""
        with Session(self._engine) as session:
            session.execute(delete(WaitingTask))
            session.commit()


def take_task(connection: Connection) -> Taken | None:
    """The oldest task whose locks can be had; they are held until `finish_task`.

    There is no order among tasks that share a resource. The connection commits by itself: locks
    belong to it and not to a transaction.
    """
    oldest = select(WaitingTask.__table__).order_by(WaitingTask.task_id).limit(_LOOKED_AT)
    for task in connection.execute(oldest).all():
        wanted = ((_TASK, task.task_id), (_RESOURCE, task.first), (_RESOURCE, task.second))
        if all(connection.scalar(_TRY, {"space": s, "key": k}) for s, k in wanted):
            # done meanwhile by another one, perhaps
            still = select(WaitingTask.task_id).where(WaitingTask.task_id == task.task_id)
            if connection.scalar(still) is not None:
                return Taken(task.task_id, task.kind, task.ms)
        connection.execute(_UNLOCK)
    return None


def finish_task(connection: Connection, task: Taken) -> None:
    """It is done, and its resources are free."""
    connection.execute(delete(WaitingTask).where(WaitingTask.task_id == task.task_id))
    connection.execute(_UNLOCK)
