"""Tables of tasks, for PostgreSQL: which resources are taken, and what waits for a worker."""

from random import sample

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from ..models import Base

# each task needs two that no other may have meanwhile
_RESOURCES = range(128)


def choose_resources() -> list[int]:
    """The two that a task needs."""
    return sorted(sample(_RESOURCES, 2))


class TaskReservation(Base):
    """A resource that a task has; the manager writes it, and the worker takes it away again."""

    __tablename__ = "task_reservation"
    resource: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    task: Mapped[str] = mapped_column(String(32), index=True)


class WaitingTask(Base):
    """A task that any worker may take that gets the locks of its resources."""

    __tablename__ = "waiting_task"
    task_id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    ms: Mapped[int]
    first: Mapped[int]
    second: Mapped[int]
