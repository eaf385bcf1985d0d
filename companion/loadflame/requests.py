"""Requests that are under way, and what is reported with the next response of their route."""

import contextvars
import itertools
import threading
import types
from collections import defaultdict
from time import perf_counter

from .arrivals import find_owner

# per route, reported with its next response, so that only means are useful: CPU time after the headers of
# responses, and CPU time of the server around requests
UNTOLD = {}
AROUND = {}
SERVER = object()
# requests without a response yet
UNDER_WAY = {}

# route -> counts requests that ended since the last report of calls that followed the headers; next() needs no lock
RESTED = defaultdict(itertools.count)

# all copies of this file in a process have it in common
SHARED = find_owner("late") or types.SimpleNamespace(
    caller=contextvars.ContextVar("loadflame_caller", default=None), late={}, thread=threading.local()
)
CALLER = SHARED.caller  # the request under way
LATE = SHARED.late  # route -> what was asked after the headers of its responses
THREAD = SHARED.thread  # of one that a request starts: what it asks after the headers, until it ends
MAKER = contextvars.ContextVar("loadflame_maker", default=None)  # place of the app that made the task under way
INSIDE = contextvars.ContextVar("loadflame_inside", default=None)  # the call under way: whose, since when
REQUEST = contextvars.ContextVar("loadflame_request", default=None)
LOCK = threading.Lock()
# what a task does so soon after its request is still done for it; one that lives on (a pool of
# connections that the first request opened) is unattributed
LINGER_S = 10


def add(costs, route, cpu):
    """Add to what will be reported for a route."""
    costs[route] = costs.get(route, 0) + cpu


def is_over(caller):
    """Return whether what still runs in the name of a request no longer belongs to it."""
    return caller.ended is not None and perf_counter() - caller.ended > LINGER_S
