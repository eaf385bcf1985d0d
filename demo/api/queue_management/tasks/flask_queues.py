"""The queues of the web application, in which it only puts tasks."""

from flask import Flask, current_app

from ..config import Config
from ..errors import NotConfigured
from ..redis_client import connect_redis
from .queues import TaskQueues


def init_app(app: Flask, config: Config) -> None:
    """Give the application the queues of its tasks, where there is a Redis for them."""
    url = config.TASK_QUEUE_URL
    app.extensions["task_queues"] = (
        TaskQueues(connect_redis(url), config.TASK_DISPATCHER) if url else None
    )


def get_task_queues() -> TaskQueues:
    """The queues of the running application; raises NotConfigured."""
    queues = current_app.extensions["task_queues"]
    if queues is None:
        raise NotConfigured("tasks need a Redis: TASK_QUEUE_URL is not set")
    return queues
