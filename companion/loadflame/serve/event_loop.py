"""An event loop, its timers, and the tasks that requests start."""

import functools
import sys

from ..calls.places import find_maker
from ..requests import AROUND, MAKER, REQUEST, add, is_over
from ..settings import thread_time
from ..steps import Steps

# whose tasks are the server's work for requests: the last ones accept connections for it
SERVERS = ("uvicorn.", "hypercorn.", "gunicorn.", "granian.", "asyncio.selector_events", "aiohttp.web")


class Loop:
    """The CPU clock of an event loop's thread, and what it showed when it was read last.

    What the loop does between steps is the server's work for requests (it writes, closes, accepts, reads and
    parses), or decodes what a database sent: that of the request whose step comes next, most often it is what
    made that possible; and between the end of a request and another one or a timer, of the one that ended: what a
    large response costs is mostly done then. Timers that no request has set, with the tasks that they wake, are
    unattributed: the server's own timers, what the app does in the background.
    """

    def __init__(self, running):
        self.cpu, self.last = thread_time(), None
        self.blocks = []  # the last ones: when each began, when it ended, and the request whose step it was
        self.call_soon = running.call_soon
        if hasattr(running, "_add_writer"):  # not uvloop's
            running._add_writer = functools.partial(self.add_writer, running._add_writer)
        for name in ("call_later", "call_at"):
            setattr(running, name, functools.partial(self.schedule, getattr(running, name)))

    def schedule(self, schedule, when, callback, *args, **options):
        """Set a timer. One of the two methods may call the other."""
        request = REQUEST.get()
        if (request is None or is_over(request)) and callback != self.run_timer:
            return schedule(when, self.run_timer, callback, *args, **options)
        return schedule(when, callback, *args, **options)

    def add_writer(self, add_writer, fd, callback, *args):
        """Write what a socket could not take at once for the request in whose context it was sent."""
        request = REQUEST.get()
        if request is None or is_over(request):
            return add_writer(fd, callback, *args)
        return add_writer(fd, self.run_writer, request.route, callback, *args)

    def run_writer(self, route, callback, *args):
        """Write, around a request; what comes before and after it is between steps."""
        started = thread_time()
        try:
            callback(*args)
        finally:
            spent = thread_time() - started
            add(AROUND, route, spent)
            self.cpu += spent

    def run_timer(self, callback, *args):
        """Run a timer; neither it nor the task that it wakes counts for a request."""
        if self.last is not None:
            add(AROUND, self.last.route, thread_time() - self.cpu)
            self.last = None
        try:
            callback(*args)
        finally:
            self.skip()
            self.call_soon(self.skip)

    def skip(self):
        """Count what ran since the last step for no request."""
        self.cpu = thread_time()

    def run_other(self, resume, value):
        """Resume a coroutine that no request has started; its time counts for none."""
        try:
            return resume(value)
        finally:
            self.skip()


def follow_tasks():
    """Run the tasks that requests start below their frames, too; None where there is no asyncio."""
    asyncio = sys.modules.get("asyncio")
    try:
        running = asyncio.get_running_loop()
    except Exception:
        return None
    factory = running.get_task_factory()
    known = getattr(factory, "loadflame_loop", None)
    if known is not None:
        return known
    known = Loop(running)

    def start_task(loop, coroutine, **options):
        request, maker = REQUEST.get(), None
        if request is not None and not is_over(request):
            request.add_task(coroutine)
            maker = MAKER.set(find_maker(coroutine, sys._getframe(1)))
            coroutine = Steps(coroutine, request.run_step)
        elif not is_of_server(coroutine):
            coroutine = Steps(coroutine, known.run_other)
        try:
            if factory is None:
                return asyncio.Task(coroutine, loop=loop, **options)
            return factory(loop, coroutine, **options)
        finally:
            if maker is not None:
                MAKER.reset(maker)

    start_task.loadflame_loop = known
    running.set_task_factory(start_task)
    return known


def is_of_server(coroutine):
    """Return whether a task is one of the server, by the module of its coroutine."""
    frame = getattr(coroutine, "cr_frame", None)
    return frame is not None and frame.f_globals.get("__name__", "").startswith(SERVERS)
