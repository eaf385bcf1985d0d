"""Workers of gunicorn: each gets its app wrapped when it loads it."""

import os

from ..arrivals import put_around
from ..headers import name_worker
from .greenlets import GreenletClock
from .tracing import allow_tracing_from_now_on
from .wrap import wrap
from .wsgi import Companion

# workers that serve many requests at once in one thread, which share its CPU time
COOPERATIVE = {"gunicorn.workers.base_async", "gunicorn.workers.geventlet", "gunicorn.workers.ggevent"}
WSGI = COOPERATIVE | {"gunicorn.workers.gthread", "gunicorn.workers.gtornado", "gunicorn.workers.sync"}
ASGI = {"uvicorn.workers", "uvicorn_worker", "uvicorn_worker._workers"}


def wrap_app(worker):
    """Put the companion around the app of a worker; of other servers' workers it knows uvicorn's."""
    bases = {base.__module__ for base in type(worker).__mro__}
    if bases & ASGI or hasattr(worker.wsgi, "on_response_prepare"):
        worker.wsgi = wrap(worker.wsgi)
    elif bases & WSGI:
        worker_id = name_worker(worker.ppid, os.getpid())
        worker.wsgi = Companion(worker.wsgi, worker_id, GreenletClock() if bases & COOPERATIVE else None)
    else:
        text = "loadflame: %s is not known: use app = loadflame_companion.wrap(app) in an ASGI app"
        worker.log.warning(text, type(worker).__name__)


def install():
    """Wrap what a worker does when it loads its app: hooks would be replaced by those of a config."""
    try:
        from gunicorn.workers.base import Worker
    except ImportError:
        return

    def follow_load(load_wsgi):
        def load_wrapped(self):
            load_wsgi(self)
            try:
                wrap_app(self)
            except Exception as error:
                self.log.warning("loadflame: cannot tell requests apart: %r", error)

        return load_wrapped

    put_around(Worker, "load_wsgi", follow_load)  # once: the configuration is read again (SIGHUP)
    # the master now, and every worker (and a daemon) when it is forked
    allow_tracing_from_now_on()
