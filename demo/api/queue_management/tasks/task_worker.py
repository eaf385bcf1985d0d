"""How a process takes tasks from a queue."""

from redis import Redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer
from rq.worker_pool import WorkerPool

from ..config import Config, ConfigError
from ..redis_client import connect_redis


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
    print(f"{count} workers on the queue {queue}", flush=True)
    # a line for each task would be a good part of a short task's cost
    pool.start(logging_level="WARNING")


def _connect() -> Redis:
    url = Config.from_env().TASK_QUEUE_URL
    if not url:
        raise ConfigError("TASK_QUEUE_URL is not set")
    client = connect_redis(url)
    client.ping()
    return client
