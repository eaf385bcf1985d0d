"""The queues between the API, the manager and the workers."""

from uuid import uuid4

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from .models import choose_resources
from .reservations import Reservations
from .waiting import WaitingTasks

# what a manager has to look at before workers may have it
INBOX = "inbox"
# what any worker may take
TASKS = "tasks"

_COUNTERS = "tasks:counters"
_COUNTED = ("dispatched", "started", "completed", "failed")
_FAILURE_LIFE_S = 300


class TaskQueues:
    """Puts tasks where they belong and counts them; safe to share between threads."""

    def __init__(
        self,
        client: Redis,
        reservations: Reservations | None = None,
        waiting: WaitingTasks | None = None,
    ):
        """With reservations tasks go to the manager; those that wait elsewhere are not queued."""
        self._client = client
        self._inbox = Queue(INBOX, connection=client, serializer=JSONSerializer)
        self._tasks = Queue(TASKS, connection=client, serializer=JSONSerializer)
        self._reservations = reservations
        self._waiting = waiting

    def accept(self, kind: str, ms: int, count: int = 1) -> None:
        """Take in so many tasks from outside, in one message to Redis."""
        if self._waiting:
            self._waiting.add(kind, ms, count)
        with self._client.pipeline(transaction=False) as pipeline:
            if self._reservations:
                jobs = [
                    _describe_job("dispatch_task", kind, ms, uuid4().hex, choose_resources())
                    for _ in range(count)
                ]
                self._inbox.enqueue_many(jobs, pipeline=pipeline)
            elif not self._waiting:
                job = _describe_job("run_task", kind, ms)
                self._tasks.enqueue_many([job] * count, pipeline=pipeline)
            pipeline.hincrby(_COUNTERS, "dispatched", count)
            pipeline.execute()

    def hand_over(self, kind: str, ms: int, task: str) -> None:
        """Let the workers have a task."""
        self._tasks.enqueue_many([_describe_job("run_task", kind, ms, task)])

    def count(self, name: str) -> None:
        """Add one to ``started``, ``completed`` or ``failed``."""
        self._client.hincrby(_COUNTERS, name, 1)

    def read_stats(self) -> dict[str, int]:
        """All counters, and how many tasks wait in each queue, in one message to Redis.

        Counters only ever rise: emptying the queues does not touch them.
        """
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.hmget(_COUNTERS, _COUNTED)
            pipeline.llen(self._inbox.key)
            pipeline.llen(self._tasks.key)
            counts, inbox, queued = pipeline.execute()
        counters = {name: int(count or 0) for name, count in zip(_COUNTED, counts)}
        if self._waiting:
            running = counters["started"] - counters["completed"] - counters["failed"]
            queued = max(0, self._waiting.count() - running)
        return {**counters, "inbox": inbox, "queued": queued}

    def empty(self) -> None:
        """Forget what waits; what is being worked on goes on."""
        self._inbox.empty()
        self._tasks.empty()
        for kept in (self._reservations, self._waiting):
            if kept:
                kept.forget()


def _describe_job(function: str, kind: str, ms: int, *more: object):
    return Queue.prepare_data(
        f"{__package__}.jobs.{function}",
        args=(kind, ms, *more),
        description=kind,
        # nobody asks for results
        result_ttl=0,
        failure_ttl=_FAILURE_LIFE_S,
    )
