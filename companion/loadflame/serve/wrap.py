"""Puts the companion around an app of an event loop."""

from ..settings import IS_ACTIVE, thread_time
from .aiohttp_app import follow_handlers
from .asgi import AsgiCompanion
from .event_loop import follow_tasks
from .threads import follow_anyio, follow_threads
from .tracing import allow_tracing_from_now_on


def wrap(app):
    """Return an ASGI app that serves each request below its frames, or one of aiohttp that does; without LOADFLAME the app itself."""
    if not IS_ACTIVE or thread_time is None or getattr(type(app), "is_loadflame", False):
        return app
    follow_threads()
    follow_anyio()
    try:
        follow_tasks()  # of a loop that runs already: what the app starts with it is no request's
    except Exception:
        pass
    allow_tracing_from_now_on()
    return follow_handlers(app) if hasattr(app, "on_response_prepare") else AsgiCompanion(app)
