"""The app's own line for which a call is made."""

import functools
import os
import sys

from ..frames import MAX_PATHS, ROUTE_FILE, TIME_FILE, frame_of_line, is_copy
from ..paths import LIBRARY, place_of_code, shorten_path
from ..requests import CALLER, MAKER
from ..routes import MAX_NAME
from ..steps import MAX_DEPTH
from .frameworks import NO_APP, PACKAGE, TELLING, VIEWS, place_of_class

OWN, END = object(), object()
APP_FILES = (".py", ".html", ".htm", ".xml", ".txt", ".jinja", ".jinja2", ".j2", ".tpl")
WHOLE, BETWEEN = ({"REQUEST_METHOD", "PATH_INFO"}, {"type", "path", "headers"}), "/django/core/handlers/exception.py"
# lines that pass on too many texts to be a place: the app's own session or client; of middleware, which hands on a request
PASSED, HANDING = set(), set()


@functools.lru_cache(maxsize=MAX_PATHS)
def find_role(path):
    """Return OWN (the app's file), END (where a request begins), what functions of the file show, a package, or None."""
    if path in (ROUTE_FILE, TIME_FILE):
        return END
    if not path.endswith(APP_FILES) or path == __file__ or os.path.basename(path) == "loadflame_companion.py":
        return None
    if not LIBRARY.search(path):
        return OWN
    package = PACKAGE.search(path)
    if package and package[1] not in NO_APP:
        return package[1]
    path = path.replace("\\", "/")
    return next(((is_place, names) for end, is_place, names in TELLING if path.endswith(end)), None)


def read_place(tell, frame):
    """Return the role and the place that a frame shows; None, None: its version keeps them elsewhere."""
    try:
        path, line, name = tell(frame)
    except Exception:
        return None, None
    return find_role(path), (shorten_path(path), line, name[:MAX_NAME])


def find_place(frame):
    """Find the app's innermost frame (or the code that a library works for), hints at a relation, and what shows it again.

    The last result has the frame that each one calls.
    An application that is itself installed has no other frames than packages: its own is the outermost one. Middleware
    around it, of the deployment or of another package, is no place. A line through which everything comes is one only if
    there is no other further out. The place is the same again where the same frames are as far away: its own, and the
    outermost one of a package, beyond which there is only middleware.
    """
    telling, at, depth, packages, passed, outer, inner, last = [], None, 0, {}, {}, None, {}, None
    while frame is not None:
        code = frame.f_code
        role = find_role(code.co_filename)
        # last, because it reads all values of a frame: most frames have no role
        is_around = role and packages and type(role) is not tuple and role not in packages and is_handing(frame, last)
        if role is not None and role is not END and not is_around and not is_copy(code):
            inner[frame] = last
            is_passed = PASSED and line_of(frame) in PASSED
            if is_passed:
                passed.setdefault(role, frame)
            elif is_of_mixin(frame, last):
                role = True, {code.co_name: place_of_class}
            elif role is OWN:
                return frame, telling, ((depth, frame),), inner
            if type(role) is str:
                outer = depth, frame
                packages[role] = packages.pop(role, None) or (None if is_passed else outer)  # the outermost one is the last
            elif role is not OWN and code.co_name in role[1]:
                is_place, names = role
                tell = names[code.co_name]
                role, place = read_place(tell, frame) if is_place else (None, telling.append((tell, frame)))
                shown = () if depth is None else ((~depth, frame),)  # below 0: the frame is no line of the place
                if role is OWN:
                    return place, telling, shown, inner
                if type(role) is str:
                    packages[role] = packages.pop(role, None) or (shown, place)
                if packages and tell in VIEWS:
                    break
        last, frame = frame, None if role is END else frame.f_back
        if depth is not None:
            depth += 1
        if frame is None:  # where another greenlet waits, the distance is not known
            at, depth = find_parent(at), None
            frame = at and at.gr_frame
    outermost = next(reversed([*packages]), OWN)
    place = MAKER.get() or find_awaiting(CALLER.get())
    found = packages.get(outermost)
    if found and not place:
        return found[1], telling, (found, outer) if hasattr(found[1], "f_code") else found[0], inner
    return place or passed.get(OWN) or passed.get(outermost), telling, (), inner


def is_handing(frame, inner):
    """Return whether a line hands on the whole request; so does that of a response which is made while it is iterated.

    Between two middlewares of Django is a frame of its own, which catches exceptions.
    """
    if holds_request(frame) and holds_request(inner) or inner and inner.f_code.co_filename.endswith(BETWEEN):
        HANDING.add(line_of(frame))
    return line_of(frame) in HANDING


def holds_request(frame):
    """Return whether a frame has the environ of WSGI, or the scope of ASGI."""
    values = values_of(frame) if frame else ()
    return any([type(one) is dict and any([keys <= one.keys() for keys in WHOLE]) for one in values])


def values_of(frame):
    """Return the values of a frame, and those in tuples, as of `*args`."""
    return [one for value in list(frame.f_locals.values()) for one in (value if type(value) is tuple else (value,))]


def show_lines(frame):
    """Return frames that show the lines of the app on this stack, and what calls them; the outermost first."""
    shown, was_own = [], False
    while frame is not None:
        role = find_role(frame.f_code.co_filename)
        if role is END:
            break
        is_own = role is OWN or type(role) is str
        if is_own or was_own:
            shown.append(frame_of_line(frame.f_code, frame.f_lineno))
        was_own, frame = is_own, frame.f_back
    return shown[::-1]


def is_of_mixin(frame, inner):
    """Return whether a view's dispatch() is that of a mixin, which hands on to the next base: the class of the view says more."""
    name = frame.f_code.co_name
    if name not in ("dispatch", "dispatch_request") or inner.f_code.co_name != name:
        return False
    view = frame.f_locals.get("self")
    return view is inner.f_locals.get("self") and name not in vars(type(view)) and place_of_class(frame) is not None


def find_awaiting(caller):
    """Return the place of FastAPI's endpoint where its response is made in a thread, or None."""
    at, place = getattr(caller, "coroutine", None), None
    for _ in range(MAX_DEPTH):
        frame = getattr(at, "cr_frame", None)
        if frame is None or place is not None:
            break
        role = find_role(frame.f_code.co_filename)
        if type(role) is tuple and frame.f_code.co_name in role[1]:
            _, place = read_place(role[1][frame.f_code.co_name], frame)
        at = at.cr_await
    return place


MAX_MAKERS = 8  # frames between the line of the app that makes a task and its making


def find_maker(coroutine, frame):
    """Find the line of the app that makes a task of a library's coroutine, whose own frames show none; middleware is none."""
    code = getattr(coroutine, "cr_code", None)
    if code is None or find_role(code.co_filename) is OWN:
        return None
    between = [coroutine.cr_frame]
    for _ in range(MAX_MAKERS):
        role = find_role(frame.f_code.co_filename)
        if role is OWN and not any([holds_request(one) for one in between]):
            return name_place(frame)
        between.append(frame)
        frame = frame.f_back
        if frame is None or role is END:
            break
    return MAKER.get()


def find_parent(at):
    """Return the greenlet that waits for one of SQLAlchemy's; the app's coroutine runs in it."""
    greenlet = sys.modules.get("greenlet")
    own = greenlet and (at or greenlet.getcurrent())
    return own.parent if own and type(own).__module__.startswith("sqlalchemy.") else None


def sign_of(depth, frame):
    """Return what identifies a line at this distance, or the place that a frame there shows."""
    if depth is not None and depth < 0:
        role = find_role(frame.f_code.co_filename)
        tell = role[1].get(frame.f_code.co_name) if type(role) is tuple else place_of_class
        return depth, frame.f_lasti, read_place(tell, frame)[1]
    return depth, frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lasti


def line_of(frame):
    """Return the file and the line of a frame."""
    return frame.f_code.co_filename, frame.f_lineno


def name_place(frame):
    """Name the line of a frame; Jinja compiles templates to code with other lines."""
    template = frame.f_globals.get("__jinja_template__")
    line = template.get_corresponding_lineno(frame.f_lineno) if template else frame.f_lineno
    return place_of_code(frame.f_code, line)
