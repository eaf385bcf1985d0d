"""Whether functions get the same arguments and return the same again: only while a client asks for it."""

import itertools
import json
import sys
import weakref
from hashlib import blake2b
from os import urandom
from time import perf_counter

from ..paths import place_of_code
from ..requests import CALLER
from .ledger import ASKED_AT, CALLS_HEADER, MAX_TOLD_CHARS, tell_calls
from .places import OWN, find_role, name_place

SAME_HEADER = "Loadflame-Same"
# after the last request that asks; lines that call, and different arguments of one
LASTS_S, MOST_LINES, MOST_KEYS = 2, 20, 1000
MOST_PARTS, PART_CHARS, PART_BITS = 10000, 50, 64  # parts of a value
NUMBERS = itertools.count(1)
# a type can be one of a class with __hash__ and __eq__ of its own: only its id is safe
DATA_KINDS = {id(one): one.__name__ for one in (type(None), bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)}
SUSPENDS = 0x20 | 0x80 | 0x200  # generators and coroutines: their frames come and go


class SameWork:
    """Compares calls of functions by the app's lines. Only digests are kept, and no code of the app is called."""

    def __init__(self):
        """Start without any."""
        self.until, self.asked, self.names = 0.0, None, ()
        self.forget()

    def forget(self):
        """Forget all calls."""
        self.under_way, self.sums, self.objects, self.salt = {}, {}, {}, urandom(16)

    def ask(self, asked):
        """Name all calls again, and compare those of functions: JSON, `["app.py", "load"]` each; "1": none."""
        ASKED_AT[0] = perf_counter()
        if asked == "1":
            return
        if asked != self.asked:
            self.forget()
            self.names = {tuple(one) for one in json.loads(asked)}
            self.asked = asked
        self.until = perf_counter() + LASTS_S
        self.watch()

    def watch(self):
        """Hear the calls of this thread while that lasts, unless it has a profiler."""
        if self.until and sys.getprofile() is None:
            sys.setprofile(self.hear)

    def hear(self, frame, event, result):
        """Hear a call or a return. It raises nothing: that would end what runs."""
        try:
            if perf_counter() > self.until:
                sys.setprofile(None)
                self.until = 0.0
                self.forget()
            elif event == "call":
                self.begin(frame, frame.f_code, frame.f_back)
            elif event == "return" and id(frame) in self.under_way:
                self.end(*self.under_way.pop(id(frame)), result)
        except Exception:
            pass

    def begin(self, frame, code, back):
        """Remember the arguments of a call that the app makes in a request."""
        function = place_of_code(code, 0)[::2]
        if function not in self.names or CALLER.get() is None or code.co_flags & SUSPENDS or back is None or back.f_code is code:
            return
        where = (*function, *name_place(back)[:2])
        if find_role(back.f_code.co_filename) is OWN and (where in self.sums or len(self.sums) < MOST_LINES):
            makes = code.co_name == "__init__"
            many = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
            given = [self.identify(frame.f_locals[name]) for name in code.co_varnames[makes:many]]
            self.under_way[id(frame)] = where, None if None in given else self.digest(given), makes

    def end(self, where, given, makes, result):
        """Count a call: with new arguments, with known ones and the same result, another one, or one that is not compared."""
        counts, known = self.sums.setdefault(where, ([0, 0, 0, 0, 0], {}))
        made = None if makes else self.digest(result)
        counts[0] += 1
        if given in known:
            counts[4 if None in (made, known[given]) else 2 if known[given] == made else 3] += 1
        elif given is not None and len(known) < MOST_KEYS:
            known[given] = made
            counts[1] += 1

    def digest(self, value):
        """Return a digest of data; None: it is too much, or holds objects."""
        try:
            text = describe_data(value, [MOST_PARTS])
            return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=self.salt).digest()
        except Exception:
            return None

    def identify(self, value):
        """Return a digest of data, or a number of an object that no other one gets, as an id does; None: it can't be known."""
        data = self.digest(value)
        refer, number = self.objects.get(id(value), (type(None), None))
        if data is None and refer() is not value and len(self.objects) < MOST_PARTS:
            try:
                refer, number = weakref.ref(value), next(NUMBERS)
            except TypeError:
                return None
            self.objects[id(value)] = refer, number
        return data or number

    def tell(self):
        """Return the value of the header: function, the line that calls it, and the counts of its calls."""
        told = [json.dumps([*where, *counts], separators=(",", ":")) for where, (counts, _) in list(self.sums.items())]
        return "[%s]" % ",".join(told) if sum(map(len, told)) < MAX_TOLD_CHARS else "[]"


def describe_data(value, left):
    """Describe built-in data, in at most left[0] parts. Subclasses are none: they can have code of their own."""
    kind = DATA_KINDS.get(id(type(value)))
    left[0] -= 1 + (len(value) // PART_CHARS if kind in ("str", "bytes") else value.bit_length() // PART_BITS if kind == "int" else 0)
    if kind is None or left[0] < 0:
        raise ValueError("no data, or too much of it")
    if kind not in ("list", "tuple", "set", "frozenset", "dict"):
        return repr(value)
    parts = [describe_data(one, left) for one in (value.items() if kind == "dict" else value)]
    return "%s(%s)" % (kind, ",".join(sorted(parts) if "set" in kind else parts))


SAME = SameWork()


def tell_more(caller):
    """Return the headers about the calls of a request, and about functions if a client asks for them."""
    told = [] if (calls := tell_calls(caller)) is None else [(CALLS_HEADER, calls)]
    return told + [(SAME_HEADER, SAME.tell())] if SAME.until else told
