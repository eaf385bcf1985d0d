"""Remedies apply the fix of a cause in memory, so that its gain is measured before it is written."""

import atexit
import functools
import json
import os
import threading
from time import perf_counter

from ..arrivals import call_back
from ..settings import write_line

SAID_EACH_S = 2
MOST_SHARED = 50


class Remedy:
    """Replaces parts of libraries in the memory of this process, and counts how often that had an effect.

    It reports on stderr, as one line of JSON: the functions that it replaced, how often it acted, the calls that it
    left alone and why, and the reason if it refused to act.
    """

    # each subclass has its cause, and "places": a module -> the method that replaces something in it once it is loaded

    def __init__(self, value):
        """Take the value of "cause:value". ValueError says what to type."""
        if value:
            raise ValueError("it takes no value, but got %r" % value)

    def start(self):
        """Replace parts of loaded modules now, and of other modules when they are loaded."""
        self.replaced, self.refused = [], None
        self.begin_process()
        os.register_at_fork(after_in_child=self.begin_process)
        atexit.register(self.say)
        call_back({name: functools.partial(self.apply, getattr(self, method)) for name, method in self.places.items()}, self)
        self.say()

    def begin_process(self):
        """Start counting in this process; objects are shared only within it."""
        self.lock = threading.Lock()
        self.acted, self.left, self.shared = 0, {}, {}
        self.said, self.said_at = None, 0.0

    def apply(self, method, module):
        """Replace parts of a loaded module; refuse if another version lacks them."""
        try:
            method(module)
        except Exception as error:
            self.refuse("this remedy does not know this version of %s: %r" % (module.__name__, error))

    def replace(self, owner, name, made):
        """Replace an attribute by a function, which calls the original after a refusal."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def either(*args, **options):
            return (made if self.refused is None else original)(*args, **options)

        setattr(owner, name, staticmethod(either) if name == "__new__" else either)
        module = owner.__module__ + "." if isinstance(owner, type) else ""
        self.replaced.append("%s%s.%s" % (module, owner.__name__, name))

    def leave(self, reason):
        """Count a call that it left alone."""
        self.act(0, reason)

    def act(self, acted=1, reason=None):
        """Count a call that it changed (1), left alone (0) or changes no longer (-1). Report the first at once, more every few seconds."""
        with self.lock:
            self.acted += acted
            if reason is not None and (reason in self.left or len(self.left) < MOST_SHARED):
                self.left[reason] = self.left.get(reason, 0) + 1
        if acted and acted == self.acted or perf_counter() - self.said_at > SAID_EACH_S:
            self.say()

    def refuse(self, reason):
        """Stop acting, and report why."""
        self.refused = reason
        self.say()

    def say(self):
        """Report its counts so far if they changed: a killed server cannot report at its end."""
        with self.lock:
            facts = {"remedy": self.cause, "pid": os.getpid(), "acted": self.acted}
            facts.update(replaced=self.replaced[:], left=dict(self.left), refused=self.refused)
            self.said_at = perf_counter()
            is_new, self.said = facts != self.said, facts
        if is_new:
            print_line(facts)


def print_line(facts):
    """Write facts to stderr, behind the token of this run: an app's own log may hold such a line, too."""
    token = os.environ.get("LOADFLAME_REMEDY_TOKEN")
    write_line(" ".join(["loadflame remedy", *([token] if token else []), json.dumps(facts)]))
