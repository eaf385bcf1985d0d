"""Waits for modules that are not loaded yet, and puts functions in the place of theirs."""

import functools
import sys


class Arrivals:
    """A module finder that delegates to the others, and calls back after a module was loaded."""

    def __init__(self, calls, owner):
        """Take a callback for each module name; the owner is a remedy, or shared by all copies of this file."""
        self.calls = calls
        self.loadflame_owner = owner

    def find_spec(self, name, path=None, target=None):
        """Find an awaited module; None for all others."""
        if name not in self.calls:
            return None
        # those behind it: another one like it asks the same
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec:
                spec.loader.exec_module = functools.partial(self.execute, spec.loader.exec_module)
                return spec
        return None

    def execute(self, execute, module):
        """Call back after the module's own code has run."""
        execute(module)
        call = self.calls.pop(module.__name__, None)
        if call is not None:
            call(module)


def call_back(calls, owner):
    """Call back with modules that are loaded already, and with the others after they are loaded."""
    sys.meta_path.insert(0, Arrivals(calls, owner))
    for name in list(calls):
        if name in sys.modules:
            calls.pop(name)(sys.modules[name])


def put_around(owner, name, make):
    """Put what make(original) returns in the place of a function, once; a version may lack it, a class inherit it."""
    original = getattr(owner, name, None)
    if original is not None and not hasattr(original, "is_loadflame"):
        made = make(original)
        made.is_loadflame = True
        setattr(owner, name, made)


def find_owner(attribute):
    """Return who waits for modules already and has such an attribute, or None: this file may be loaded twice."""
    owners = [getattr(finder, "loadflame_owner", None) for finder in sys.meta_path]
    return next((owner for owner in owners if hasattr(owner, attribute)), None)
