"""Frames on the stack of a request, whose names a profiler reads."""

import functools
import inspect
import sys
import time

from .garbage import COLLECTIONS
from .routes import METHODS, name_route, name_template

ROUTE_FILE = "<loadflame route>"
TIME_FILE = "<loadflame time>"
# inspect.stack() would search all modules for such a file, each time
inspect.modulesbyfile.update(dict.fromkeys((ROUTE_FILE, TIME_FILE), __name__))
# most routes of one worker: paths with names in them must not fill the memory
MAX_ROUTES = 500
MAX_PATHS = 5000
RETURN_LINE = 2  # of frame(), below its first one


def frame(function, *args):
    """Call a function; each copy of this one has another name, which a profiler sees on the stack."""
    return function(*args)


def make_frame(name, file, **more):
    """Copy frame() under another name; the name is what a profiler reads."""
    return type(frame)(rename(frame.__code__, name, co_filename=file, **more), {})


def rename(code, name, qualname=None, **more):
    """Return code under another name, which a profiler reads."""
    if sys.version_info >= (3, 11):
        more["co_qualname"] = qualname or name
    return code.replace(co_name=name, **more)


@functools.lru_cache(maxsize=MAX_PATHS)
def frame_of_line(code, line):
    """Return a frame that a profiler sees as this line of a function, where the line itself is on another stack."""
    qualname = getattr(code, "co_qualname", None)
    return make_frame(code.co_name, code.co_filename, qualname=qualname, co_firstlineno=line - RETURN_LINE)


def is_copy(code):
    """Return whether the code of a frame is that of a copy, whatever file it shows."""
    return (code.co_varnames, code.co_consts) == (frame.__code__.co_varnames, frame.__code__.co_consts)


class Frames:
    """Makes each frame once. Two threads may make the same one; the last one stays."""

    def __init__(self):
        self.by_path = {}
        self.by_name = {}
        self.frame, self.until = None, 0.0  # of this half-second

    def of_route(self, *key):
        """Return the frame of a request, by its method and path, without a query."""
        found = self.by_path.get(key)
        if found is None:
            if len(self.by_path) >= MAX_PATHS:
                self.by_path = {}
            found = self.by_path[key] = self.named(name_route(*key), key[0])
        return found

    def take(self, caller, read, *about):
        """Name a request, and later ones of its path, by the route that its framework found; the first one counts."""
        if caller.found:
            return
        try:
            path = name_template(read(*about))
            route = self.named("%s %s" % (caller.asked[0], path), caller.asked[0])
            if route is not caller.route:
                self.by_name.pop(name_route(*caller.asked), None)  # names of single paths are no routes
                COLLECTIONS.move(caller.route, route)
            caller.route, caller.found = route, ', route;desc="%s"' % path
            self.by_path[caller.asked] = route
        except Exception:
            pass  # none, or of a version that keeps it elsewhere

    def named(self, name, method):
        """Return the frame of a route; past MAX_ROUTES, one per method for all others."""
        if name not in self.by_name and len(self.by_name) >= MAX_ROUTES:
            name = "%s (other paths)" % (method if method in METHODS else "OTHER")
        found = self.by_name.get(name)
        if found is None:
            # a semicolon is what stands between the frames of collapsed stacks
            found = self.by_name[name] = make_frame(name.replace(";", "\\x3b"), ROUTE_FILE)
        return found

    def of_time(self, now):
        """Return the frame of this half-second, at a reading of perf_counter()."""
        if now >= self.until:
            epoch = time.time()
            half_second = int(epoch * 2)
            self.frame = make_frame(str(half_second), TIME_FILE)
            self.until = now + (half_second + 1) / 2 - epoch
        return self.frame


FRAMES = Frames()
UNSEEN = Frames()  # of clients that get no headers: their costs are reported to no one
