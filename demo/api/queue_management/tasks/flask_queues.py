"""The queues of the web application, in which it only puts tasks."""

from flask import Flask, current_app

from ..config import Config
from ..database import create_db_engine
from ..errors import NotConfigured
from ..redis_client import connect_redis
from .queues import TaskQueues
from .reservations import Reservations
from .waiting import WaitingTasks


def init_app(app: Flask, config: Config) -> None:
    """Give the application the queues of its tasks, where there is a Redis for them."""
    url = config.TASK_QUEUE_URL
    app.extensions["task_queues"] = _open_queues(config) if url else None


def _open_queues(config: Config) -> TaskQueues:
    client = connect_redis(config.TASK_QUEUE_URL)
    if config.TASK_HANDOUT == "queue":
        return TaskQueues(client)
    engine = create_db_engine(config.DATABASE_URL, config.DATABASE_POOL_SIZE)
    if config.TASK_HANDOUT == "manager":
        return TaskQueues(client, reservations=Reservations(engine))
    return TaskQueues(client, waiting=WaitingTasks(engine))


def get_task_queues() -> TaskQueues:
    """The queues of the running application; raises NotConfigured."""
    queues = current_app.extensions["task_queues"]
    if queues is None:
        raise NotConfigured("tasks need a Redis: TASK_QUEUE_URL is not set")
    return queues
