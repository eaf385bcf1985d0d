"""Workers that take tasks themselves: nobody stands between them and the table."""

import multiprocessing
import signal
import time
from multiprocessing.connection import wait
from multiprocessing.synchronize import Semaphore

from ..config import Config
from ..database import create_db_engine
from .jobs import run_task
from .waiting import finish_task, take_task

# nothing waits, or all that waits needs a resource that is taken
_AGAIN_S = 0.02


def run_lock_workers(count: int) -> None:
    """Keep so many processes at work until SIGTERM or SIGINT."""
    # a process that is made anew shares no connection with this one
    context = multiprocessing.get_context("spawn")
    ready = context.Semaphore(0)
    workers = [context.Process(target=_work, args=(ready,), daemon=True) for _ in range(count)]
    for signum in (signal.SIGTERM, signal.SIGINT):
        # its end ends the daemons
        signal.signal(signum, lambda *_: exit(0))
    for worker in workers:
        worker.start()
    for _ in workers:
        # what comes at once then meets none that is still being started
        ready.acquire()
    print(f"{count} workers on the queue tasks", flush=True)
    wait([worker.sentinel for worker in workers])
    exit("a worker ended")


def _work(ready: Semaphore) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = create_db_engine(Config.from_env().DATABASE_URL)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        ready.release()
        while True:
            task = take_task(connection)
            if task is None:
                time.sleep(_AGAIN_S)
                continue
            try:
                run_task(task.kind, task.ms)
            finally:
                finish_task(connection, task)
