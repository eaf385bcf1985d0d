"""How a process takes tasks from a queue."""

import time
from threading import Thread

from redis import Redis
from rq import Queue, SimpleWorker, Worker
from rq.serializers import JSONSerializer
from rq.worker_pool import WorkerPool

from ..config import Config, ConfigError
from ..redis_client import connect_redis

# until all workers are there: what comes at once then meets none that is still being started
_LOOK_S = 0.05


class TaskWorker(SimpleWorker):
    """Runs tasks one after the other in its own process, without a fork for each of them."""

    def work(self, *args, **kwargs) -> bool:
        # nothing is scheduled here, so the process that a pool would start for it is left out
        return super().work(*args, **{**kwargs, "with_scheduler": False})


def run_workers(queue: str, count: int) -> None:
    """Keep so many workers running on a queue until SIGTERM or SIGINT."""
    pool = WorkerPool(
        [queue],
        connection=_connect(),
        num_workers=count,
        worker_class=TaskWorker,
        serializer=JSONSerializer,
    )
    Thread(target=_tell_when_ready, args=(queue, count), daemon=True).start()
    # a line for each task would be a good part of a short task's cost
    pool.start(logging_level="WARNING")


def _tell_when_ready(name: str, count: int) -> None:
    queue = Queue(name, connection=_connect())
    while Worker.count(queue=queue) < count:
        time.sleep(_LOOK_S)
    print(f"{count} workers on the queue {name}", flush=True)


def _connect() -> Redis:
    url = Config.from_env().TASK_QUEUE_URL
    if not url:
        raise ConfigError("TASK_QUEUE_URL is not set")
    client = connect_redis(url)
    client.ping()
    return client
