"""Shows on stacks what suspended requests wait for."""

import functools
import gc
import os
import sys
from random import random
from time import perf_counter

from ..frames import FRAMES, make_frame
from ..paths import LIBRARY, MAX_TEXTS, tell_place
from ..requests import UNDER_WAY
from ..steps import Steps
from .pools import POOLS, find_original, start_thread

AWAIT_FILE = "<loadflame await>"
QUEUED = "submit (concurrent/futures/thread.py)"
SHOWN_AT_ONCE = 4
SHOWN_S = 0.2  # in the mean
# of a chain of awaits, the innermost ones
MAX_SHOWN = 24
# the recorder for Python 3.15 reads 1,024 characters of a name, py-spy 4,095
MAX_TEXT = 1000
# files and functions that wait for tasks of their own, if they have some; the last two are a middleware of Starlette
# and a streamed response
WAITS_FOR_TASKS = {("taskgroups.py", "__aexit__"), ("_asyncio.py", "__aexit__"), ("tasks.py", "_wait")}
WAITS_FOR_TASKS |= {("tasks.py", "_wait_for_one"), ("memory.py", "receive")}
WAITS_FOR_TASKS |= {("base.py", "call_next"), ("responses.py", "listen_for_disconnect")}
ATTRIBUTES = (("cr_frame", "cr_await"), ("gi_frame", "gi_yieldfrom"), ("ag_frame", "ag_await"))


@functools.lru_cache(maxsize=None)
def show_awaits_from_now_on():
    """Show what requests of this process await."""
    sleep = find_original("time", "sleep")
    for part in range(SHOWN_AT_ONCE):
        start_thread(show_awaits, sleep, part)


def show_awaits(sleep, part):
    """Sleep below frames that describe a suspended request, then below those of another one."""
    while True:
        try:
            frames = pick_awaits(part)
        except Exception:
            frames = []  # it has changed meanwhile
        # never in step with a load that has a beat: most arrive at a constant rate
        call, *args = *frames, sleep, SHOWN_S * (0.5 + random())
        call(*args)


def pick_awaits(part):
    """Return the frames to be shown of a request that is under way; none of one that a thread works for.

    Requests are in the order of their arrival, and each thread picks from its own part of them: those that hold a lock
    are mostly the oldest, so fewer samples suffice to show their share.
    """
    requests = list(UNDER_WAY)
    # the threads together stand for all of them, in the mean: by powers of two, which are few names
    exact, count = len(requests) / SHOWN_AT_ONCE, 1
    while count < exact:
        count *= 2
    if random() * (count - count // 2) >= exact - count // 2:
        count //= 2
    if count == 0:
        return []
    request = requests[int((part + random()) / SHOWN_AT_ONCE * len(requests))]
    places, is_ready = ([], False) if request.is_on_a_stack() else request.follow_awaits()
    if not places:
        return []
    texts = [str(count), request.route.__code__.co_name]
    texts += [tell_place(*place) for place in choose_places(places)[-MAX_SHOWN:]]
    if is_ready:
        texts.append("running (<loadflame running>)")
    elif request.waits_for_a_thread() and is_awaited_by_app(places[-1][0]):
        texts.append(QUEUED)
    return [FRAMES.of_time(perf_counter()), *map(frame_of_awaits, join_texts(texts))]


def is_awaited_by_app(code):
    """Return whether such a place awaits a bare future: a driver's own wait is for something else."""
    at = (os.path.basename(code.co_filename), code.co_name)
    return at == ("tasks.py", "wait_for") or not LIBRARY.search(code.co_filename)


def choose_places(places):
    """Leave out places between the app's own ones: frameworks, and how tasks are waited for."""
    own = [at for at, (code, _) in enumerate(places) if not LIBRARY.search(code.co_filename)]
    return [places[at] for at in own] + places[own[-1] + 1 :] if own else places


def join_texts(texts):
    """Join texts to names no longer than a profiler reads; all texts but the first begin with a tab."""
    joined = [""]
    for text in texts:
        if len(joined[-1]) + len(text) > MAX_TEXT:
            joined.append("")
        joined[-1] += "\t" + text if joined != [""] else text
    return joined


def look_into(at):
    """Return where an awaitable is suspended, what it awaits itself, and whether it is ready to run."""
    while isinstance(at, Steps):
        at = at.coroutine
    for frame_name, await_name in ATTRIBUTES:
        own = getattr(at, frame_name, None)
        if own is not None:
            POOLS.add_awaited(own)
            if own.f_code.co_name == "greenlet_spawn":  # SQLAlchemy waits in a greenlet
                POOLS.add_above(getattr(own.f_locals.get("context"), "gr_frame", None))
            following = getattr(at, await_name)
            # it has not begun, or goes on at the next turn of the loop
            return (own.f_code, own.f_lineno), following, following is None
    if hasattr(at, "get_coro"):
        return None, None if at.done() else at.get_coro(), at.done()
    if hasattr(at, "done"):
        # gather() waits for all of them
        waiting = [child for child in getattr(at, "_children", ()) if not child.done()]
        return None, waiting[int(random() * len(waiting))] if waiting else None, at.done()
    # the iterator of a future, the step of a generator: it holds what it stands for
    for held in gc.get_referents(at):
        if hasattr(held, "done") or any([hasattr(held, name) for name, _ in ATTRIBUTES]):
            return None, held, False
    return None, None, False


def pick_task(request, places, seen):
    """Return a task for which such a place waits: the newest for wait_for() of old, else any one."""
    names = [(os.path.basename(code.co_filename), code.co_name) for code, _ in places[-4:]]
    is_newest = names[-1:] == [("tasks.py", "wait_for")] and sys.version_info < (3, 12)
    if not is_newest and WAITS_FOR_TASKS.isdisjoint(names):
        return None
    alive = [refer() for refer in list(request.tasks.values())]
    # of a task that has ended, none of these is left
    tasks = [one for one in alive if id(one) not in seen and any([getattr(one, name, None) for name, _ in ATTRIBUTES])]
    if not tasks:
        return None
    return tasks[-1 if is_newest else int(random() * len(tasks))]


@functools.lru_cache(maxsize=MAX_TEXTS)
def frame_of_awaits(text):
    """Return a frame with that name; one is enough, because each costs a profiler time."""
    return make_frame(text, AWAIT_FILE)
