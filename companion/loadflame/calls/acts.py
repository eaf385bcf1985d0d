"""What requests do again and again, whatever the library: by Python's own audit events, without values."""

import os
import re
import sys
import threading

from ..requests import CALLER, is_over
from .connections import describe_socket
from .find import MAX_RAW, find_call
from .ledger import count_call
from .places import find_place, line_of
from .services import fold_path

ACTING = threading.local()  # to name an act may import and open files, too
MOST_PLACED = 20  # of one act in a request; further ones count where the last one was: to find each place costs much
SEEN = set()  # what is loaded or opened once, as with the first requests, does not count
SUFFIX = re.compile(r"(?:\.[A-Za-z]{1,8})?\Z")
IMPORT = "<frozen importlib._bootstrap_external>"  # reads folders to find a module
DEVICE = re.compile(r"/dev/(?!shm/)")  # such as the null device of a program that is started
NUMERIC = re.compile(r"[\d.]+\Z|.*:")


def again(kind, text, *key):
    """Describe what was done with the same key before; None: it was not."""
    is_known = (kind, *key) in SEEN
    if len(SEEN) < MAX_RAW:
        SEEN.add((kind, *key))
    return (kind, None, text) if is_known else None


def describe_open(path, mode, flags):
    """Describe a file by its suffix; None: no file, a device, or none that could be read."""
    if not isinstance(path, (str, bytes)) or not path or DEVICE.match(os.fsdecode(path)):
        return None
    does_write = flags & (os.O_WRONLY | os.O_RDWR) if mode is None else re.search("[wax+]", mode)
    does = "write" if does_write else os.path.exists(path) and "read"
    text = "%s *%s" % (does, SUFFIX.search(os.fsdecode(path))[0])
    return does and (again("file", text, os.fsdecode(path)) or (does_write and describe_new(text))) or None


def describe_new(text):
    """Describe a new file by the line of the app that has written others in an earlier request; None: none has."""
    place = find_place(sys._getframe())[0]
    key = line_of(place) if hasattr(place, "f_code") else place
    told = again("file", text, key)
    if told is None:
        ACTING.made[key] = None  # the first ones
    return None if key in ACTING.made else told


def describe_compile(source, name):
    """Describe code that is compiled, without its source and name, which may have values; None: ast.parse, which makes none."""
    return again("compile", "compile", name, hash(source) if isinstance(source, (str, bytes)) else None) if name != "<unknown>" else None


def describe_process(command, *_):
    """Describe a process by the name of its program."""
    return "process", None, "start " + fold_path(os.path.basename(os.fsdecode(command).split()[0]))


def describe_lookup(host, *_):
    """Describe a name that is looked up; an address is none."""
    return None if not host or NUMERIC.match(os.fsdecode(host)) else ("lookup", None, "look up " + os.fsdecode(host).lower())


HEARD = {
    "open": describe_open,
    "import": lambda name, *_: again("import", "import " + fold_path(name), name),  # one that is not loaded yet
    **dict.fromkeys(("os.listdir", "os.scandir"), lambda path, *_: sys._getframe(2).f_code.co_filename != IMPORT and again("folder", "read a folder", path)),
    "compile": describe_compile,
    **dict.fromkeys(("subprocess.Popen", "os.system"), describe_process),
    **dict.fromkeys(("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"), describe_lookup),
    "socket.connect": describe_socket,
    "loadflame.act": lambda *told: told,
    "sqlite3.connect": lambda *_: ("connect", "sqlite", "connect sqlite"),
}


def hear_act(event, args):
    """Hear an event; most, such as id(), are of another kind, or in no request. It raises nothing: that would end what is done."""
    describe = HEARD.get(event)
    caller = describe and CALLER.get()
    if caller is None or getattr(ACTING, "is_on", False):
        return
    ACTING.is_on = True
    try:
        if getattr(ACTING, "caller", None) is not caller:
            ACTING.caller, ACTING.made = caller, {}
        told = None if is_over(caller) else describe(*args)
        if told:
            n, call = ACTING.made.get(told, (0, None))
            call = call if n >= MOST_PLACED else find_call(*told)
            ACTING.made[told] = (n + 1, call)
            if call is not None:
                count_call(caller, call, 0)
    except Exception:
        pass
    finally:
        ACTING.is_on = False
