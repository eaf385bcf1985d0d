"""An ASGI app, wrapped."""

import os
import weakref
from time import perf_counter

from ..calls.ledger import end_calls
from ..calls.same import SAME, tell_more
from ..frames import FRAMES, UNSEEN
from ..garbage import COLLECTIONS
from ..headers import PROXIED, UNSTORED, add_timing, may_see, name_worker, tell_time
from ..requests import AROUND, CALLER, REQUEST, UNDER_WAY, UNTOLD, add, is_over
from ..settings import thread_time
from ..steps import MAX_DEPTH, Steps
from .awaits import look_into, pick_task, show_awaits_from_now_on
from .event_loop import follow_tasks
from .pools import POOLS
from .routers import read_scope
from .threads import Caller

# a step that keeps the event loop for longer is reported
BLOCKED_S = 0.1
# a request does not know how long it waited in front of the worker: blocks that ended so long before count, too
RECENT_S = 5
MOST_BLOCKERS = 5


class Request(Caller):
    """What a request has cost so far: steps on the event loop, and calls in threads."""

    __slots__ = "is_seen worker loop longest around step_started step_cpu_started coroutine tasks".split()

    def __init__(self, frames, asked, worker, loop, is_seen):
        """Start without costs. Where the loop is unknown, so are the tasks that the request starts."""
        super().__init__(frames.of_route(*asked), frames, asked)
        self.is_seen, self.worker, self.loop = is_seen, worker, loop
        self.longest, self.tasks = (0.0, 0.0), {}  # of the longest step that blocks the loop: its length and CPU time
        self.around = self.step_started = self.coroutine = None

    def end(self):
        """Keep what was done since the headers of the response for the next one."""
        self.ended = perf_counter()
        self.coroutine = None
        UNDER_WAY.pop(self, None)
        self.freeze()
        self.keep()
        end_calls(self)

    def run_step(self, resume, value):
        """Resume a coroutine; a task that starts eagerly does so inside a step of another one."""
        loop = self.loop
        if self.step_started is not None:
            return resume(value)
        if self.ended is not None and is_over(self):
            return resume(value) if loop is None else loop.run_other(resume, value)
        started = self.step_started = perf_counter()
        if loop is None or self.around is None:
            self.begin_first_step(loop)
        else:
            self.step_cpu_started = loop.cpu  # what the loop did before it counts, too, and reading a clock takes time
        try:
            return FRAMES.of_time(started)(self.route, resume, value)
        finally:
            cpu_ended, ended = thread_time(), perf_counter()
            cpu = cpu_ended - self.step_cpu_started
            self.cpu += cpu
            self.step_started = None
            if loop is not None:
                loop.cpu, loop.last = cpu_ended, self
            if ended - started > BLOCKED_S:
                own = COLLECTIONS.longer((0.0, 0.0), started, ended, cpu)
                self.longest = max(self.longest, own)
                if loop is not None and own[0] > BLOCKED_S:
                    loop.blocks = [*loop.blocks[1 - MOST_BLOCKERS :], (started, ended, self)]

    def begin_first_step(self, loop):
        """Count what the loop did before the first step as around this request, or around the one that ended before."""
        self.step_cpu_started = thread_time()
        if loop is not None:
            self.around = self.step_cpu_started - loop.cpu
            if loop.last is not None and loop.last.ended is not None:
                add(AROUND, loop.last.route, self.around)
                self.around = 0.0

    def timed(self, send, scope):
        """Add what the request took to the headers of its response; sending it counts as around it."""

        async def send_timed(message):
            if message["type"] == "http.response.start" and self.is_seen:
                self.frames.take(self, read_scope, scope, self.asked[1])
                try:
                    headers = message.get("headers", ())
                    told = add_timing(headers, self.tell().encode(), b"server-timing", b", ", UNSTORED)
                    told += [(name.lower().encode(), value.encode()) for name, value in tell_more(self)]
                    message = dict(message, headers=told)
                except Exception:
                    pass  # the response counts more than its measurement
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                UNDER_WAY.pop(self, None)  # no client waits for what comes now
            step, started = self.step_started, thread_time()
            try:
                await send(message)
            finally:
                # if it had to wait, the steps report it
                if step is not None and step == self.step_started:
                    spent = thread_time() - started
                    self.cpu -= spent
                    add(AROUND, self.route, spent)

        return send_timed

    def add_task(self, coroutine):
        """Remember a task that was started for the request as long as it lives."""
        try:
            key, pop = id(coroutine), self.tasks.pop
            self.tasks[key] = weakref.ref(coroutine, lambda _: pop(key, None))
        except TypeError:
            pass  # of a kind of its own, that can't be referred to

    def is_on_a_stack(self):
        """Return whether a thread works for it now, or a call in a thread has begun."""
        return self.step_started is not None or any([cost[1] is not None and cost[0] is None for cost in self.calls])

    def follow_awaits(self):
        """Return where it is suspended, outermost first, and whether it is ready to run."""
        places, seen, at = [], set(), self.coroutine
        for _ in range(MAX_DEPTH):
            place, following, is_ready = look_into(at)
            if place is not None and place[0].co_filename != __file__:
                places.append(place)
            if is_ready:
                return places, self.loop is not None
            at = pick_task(self, places, seen) if following is None else following
            if at is None:
                break
            seen.add(id(at))
        return places, False

    def waits_for_a_thread(self):
        """Return whether a call that it handed to a thread has not begun."""
        return any([cost[1] is None for cost in self.calls])

    def tell(self):
        """Report what is known: not from outside of its steps. The next response reports what is done later."""
        now, cpu_now = perf_counter(), thread_time()
        text, around = "total;dur=%.3f" % ((now - self.started) * 1000), ""
        longest = self.longest
        if self.step_started is not None:
            cpu = cpu_now - self.step_cpu_started
            if self.loop is not None:
                self.told = self.count() + cpu
                text += ", cpu;dur=%.3f" % ((self.told + UNTOLD.pop(self.route, 0)) * 1000)
                around = ", around;dur=%.3f" % ((self.around + AROUND.pop(self.route, 0)) * 1000)
            if now - self.step_started > BLOCKED_S:
                longest = COLLECTIONS.longer(longest, self.step_started, now, cpu)
        if longest[0] > BLOCKED_S:
            text += ", blocked;dur=%.3f, blocked-cpu;dur=%.3f" % (longest[0] * 1000, longest[1] * 1000)
        text += ", " + self.worker + around
        more = POOLS.tell(), COLLECTIONS.tell(self.route), COLLECTIONS.tell_pause(self.started), self.tell_blockers(now), self.found
        return "%s, %s%s" % (text, tell_time(), "".join(more))

    def tell_blockers(self, now):
        """Return entries of Server-Timing: the last steps of others that kept the loop lately, and how long ago they ended.

        The client knows which of them it waited for.
        """
        known = [] if self.loop is None else self.loop.blocks
        own = [
            (ended - started, now - ended, other.route.__code__.co_name)
            for started, ended, other in known
            if other is not self and ended > self.started - RECENT_S
        ]
        return "".join([', blocker;dur=%.1f;desc="%.1f %s"' % (s * 1000, ago * 1000, name) for s, ago, name in own])


class AsgiCompanion:
    """An ASGI 3 app around another one; what else it is asked for, the other one has."""

    is_loadflame = True

    def __init__(self, app):
        """Wrap an app; its worker is named when it serves: the app may be loaded before a fork."""
        self.app = app
        self.worker = None

    def __getattr__(self, name):
        """Return an attribute of the app: later lines may use the wrapped one in its place."""
        return getattr(self.__dict__["app"], name)

    async def __call__(self, scope, receive, send):
        """Serve a request, or another event of the server."""
        request = loop = None
        try:
            loop = follow_tasks()
            if scope["type"] in ("http", "websocket"):
                request = self.begin(scope, loop)
        except Exception:
            pass
        if request is None:
            served = self.app(scope, receive, send)
            return await (Steps(served, loop.run_other) if loop and hasattr(served, "send") else served)
        around = REQUEST.get()
        REQUEST.set(request)
        CALLER.set(request)
        try:
            served = self.app(scope, receive, request.timed(send, scope))
            request.coroutine = served
            UNDER_WAY[request] = None  # its awaits are shown from now on
            return await (Steps(served, request.run_step) if hasattr(served, "send") else served)
        finally:
            request.end()
            REQUEST.set(around)
            CALLER.set(around)

    def begin(self, scope, loop):
        """Name a request by how it was asked for."""
        if self.worker is None:
            self.worker = 'worker;desc="%s"' % name_worker(os.getppid(), os.getpid())
            show_awaits_from_now_on()
            COLLECTIONS.follow()
            POOLS.follow()
        path = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
        headers, client = dict(scope.get("headers") or ()), scope.get("client") or ("",)
        is_direct = scope.get("http_version") != "1.0" and PROXIED.isdisjoint(headers)
        is_seen = may_see(headers.get(b"loadflame-key", b""), client[0] or "", is_direct)
        if is_seen and b"loadflame-names" in headers:
            SAME.ask(headers[b"loadflame-names"].decode("latin-1"))
        asked = scope.get("method", "GET"), path.decode("latin-1").partition("?")[0]
        return Request(FRAMES if is_seen else UNSEEN, asked, self.worker, loop, is_seen)
