"""Settings of gunicorn; what differs between installations comes from the environment."""

import atexit
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

worker_class = os.environ.get("GUNICORN_WORKER_CLASS") or "gthread"
if worker_class == "gevent":
    # before anything below imports what it replaces: a driver that was loaded before it would
    # hold up the whole worker while it waits for the database
    from gevent import monkey

    monkey.patch_all()

# which request a profiler's sample belongs to; does nothing unless LOADFLAME=1
sys.path.append(os.path.join(HERE, "..", "..", "companion"))
import loadflame_companion  # noqa: E402,F401

wsgi_app = "queue_management.wsgi:app"
# one address, or several with commas between them
bind = os.environ.get("GUNICORN_BIND", "127.0.0.1:5000").split(",")
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)
# every open WebSocket holds a thread for as long as it lasts
threads = 1 if worker_class == "sync" else int(os.environ.get("GUNICORN_THREADS") or 32)
# open WebSockets end only by being cut off, so a stop takes at least this long
graceful_timeout = 3
keepalive = 30

pidfile = os.environ.get("GUNICORN_PID_FILE") or None
accesslog = os.environ.get("GUNICORN_ACCESS_LOG") or None
errorlog = os.environ.get("GUNICORN_ERROR_LOG") or "-"
access_log_format = '%(h)s %(t)s "%(r)s" %(s)s %(b)s pid=%(p)s us=%(D)s trace=%({traceparent}i)s'

# The control socket's usual place is shared by all gunicorns of a user, so it stands beside the
# pid file instead; the limit is that of a Unix socket's path.
control_socket = (
    os.path.join(os.path.dirname(os.path.abspath(pidfile)), "gunicorn.ctl") if pidfile else ""
)
control_socket_disable = not control_socket or len(control_socket) > 100


def on_starting(server):
    """Prepare the database once, before there are workers that could do it at the same time."""
    from queue_management.config import Config
    from queue_management.seed import seed_database

    config = Config.from_env()
    seed_database(config.DATABASE_URL)
    server.log.info("Database is ready")
    if not config.OIDC_ISSUER:
        server.log.warning("OIDC_ISSUER is not set: routes that want a token answer 503")


def post_worker_init(worker):
    """Say that the application is loaded: gunicorn itself logs only that a worker was forked."""
    worker.log.info("Worker is ready (pid: %s)", worker.pid)


def worker_exit(server, worker):
    """End at once: the interpreter would take itself apart for 0.3 s of CPU, which the next side of a try needs."""
    if worker.booted:
        end()


def on_exit(server):
    """So does the master; where its workers don't start, with the exit code that says so."""
    end(getattr(sys.exc_info()[1], "exit_status", 0))


def end(status=0):
    atexit._run_exitfuncs()
    os._exit(status)
