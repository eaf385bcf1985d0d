"""Resources that tasks reserve in PostgreSQL before a worker may have them."""

import time

from sqlalchemy import Engine, text

# what is reserved now is free again when its task is done
_AGAIN_S = 0.005
_LOCK = text("SELECT pg_advisory_xact_lock(hashtext('task_reservation'))")
_RESERVE = text(
    "INSERT INTO task_reservation (resource, task) VALUES (:first, :task), (:second, :task)"
    " ON CONFLICT DO NOTHING"
)
_RELEASE = text("DELETE FROM task_reservation WHERE task = :task")
_FORGET = text("DELETE FROM task_reservation")


class Reservations:
    """Reserves one task after the other: a lock that there is one of is held meanwhile."""

    def __init__(self, engine: Engine):
        self._engine = engine

    def reserve(self, task: str, resources: list[int]) -> None:
        """Wait until both resources are free, and reserve them."""
        first, second = resources
        while True:
            with self._engine.connect() as connection:
                connection.execute(_LOCK)
                values = {"task": task, "first": first, "second": second}
                if connection.execute(_RESERVE, values).rowcount == len(resources):
                    connection.commit()
                    return
                connection.rollback()
            time.sleep(_AGAIN_S)

    def release(self, task: str) -> None:
        """Let others have what a task reserved."""
        with self._engine.begin() as connection:
            connection.execute(_RELEASE, {"task": task})

    def forget(self) -> None:
        """Take back all that was reserved: for tasks that nobody is going to do."""
        with self._engine.begin() as connection:
            connection.execute(_FORGET)
