"""Finds the call that a text is at this place, in a bounded cache."""

import re
import sys

from ..requests import LOCK, MAKER, SHARED, add
from .frameworks import read_relation
from .ledger import MAX_CALLS, Call, keep_few
from .places import END, PASSED, find_place, find_role, line_of, name_place, sign_of, values_of
from .sql import SHAPE, normalise, outline_of

MAX_RAW = 10000
MAX_DEPTHS = 4
# of one place, texts that differ and begin with the same verb; further ones are summed, because to read one costs much
MAX_VARIED, VERB = 200, 7
# the beginning and the end of transactions are no statements, unless they wait for SQLite's lock, nor is what a pool
# resets, an empty one that it sends to see whether a connection works, or what Django asks SQLite to log a statement
CONTROL = re.compile(
    r"[\s;]*\Z|[\s(]*(?:BEGIN(?!\s+(?:IMMEDIATE|EXCLUSIVE))|COMMIT|END|ROLLBACK|(?:START|SET(?:\s+SESSION|\s+LOCAL)?)\s+TRANSACTION|SAVEPOINT|RELEASE|ABORT)\b|SELECT pg_advisory_unlock_all\(\)|SELECT QUOTE\(\?\)",
    re.IGNORECASE,
)
SKIP = object()

CALLS = {}  # id -> call
READ = {}  # where, and how they begin -> how many different texts
SHAPES = {}  # outline -> shape
FOUND = {}  # system, text as it is executed or its shape, and where -> call
DEPTHS = {}  # text or shape -> how far away the frames were that show its place again
THROUGH = {}  # line of the app -> {text: the app's line further out}
MANY = 3


def find_call(kind, system, raw):
    """Return the call for a text that is executed now; None: one of too many; SKIP: no statement."""
    if type(raw) is not str:
        raw = read_text(raw)
    if len(raw) > MAX_RAW:
        raw = raw[: raw.rfind(",", 0, MAX_RAW)]
    call = recall_call(system, raw)
    if call is not SHARED:
        return call
    shape, prefix = raw, None
    if kind == "sql":
        outline, prefix = outline_of(raw), raw[:VERB]
        shape = SHAPES.get(outline)
        call = recall_call(system, prefix) if shape is None else SHARED
        if call is not SHARED:
            return call
        shape = shape or read_shape(raw, outline)
        call = recall_call(system, shape)
        if call is not SHARED:
            return call
    place, telling, signs, inner = find_place(sys._getframe())
    own = place if hasattr(place, "f_code") else None
    signs = signs or (((None, own),) if own else ())
    where = sum([sign_of(*sign) for sign in signs], ()) or (place,)
    place = name_place(own) if own else place
    call = FOUND.get((system, shape, *where), SHARED)
    if call is not SHARED:
        return call
    if kind == "sql" and CONTROL.match(raw):
        call = SKIP
    elif len(CALLS) >= MAX_CALLS or READ.get((where, prefix), 0) >= MAX_VARIED:
        call, raw, shape = None, prefix, prefix  # the texts are not kept: there may be any number of them
    else:
        text = normalise(raw, system) if kind == "sql" else raw
        relation = read_relation(telling)
        call = Call(kind, system, text, place, relation)
        call = CALLS.setdefault(call.id, call)
        if own is not None and (relation is None or is_called(own, inner[own])) and is_passage(own, text, raw, inner[own]):
            return find_call(kind, system, raw)
        add(READ, (where, prefix), 1)
    if len(FOUND) >= 4 * MAX_CALLS:
        FOUND.clear()
        DEPTHS.clear()
    for known in {raw, shape} - {None}:
        FOUND[(system, known, *where)] = call
        seen = DEPTHS.setdefault(known, [])
        depths = [depth for depth, _ in signs]
        if len(seen) < MAX_DEPTHS and depths and None not in depths and depths not in seen:
            seen.append(depths)
            seen.sort(key=lambda own: abs(own[0]))  # the innermost place first
    return call


def read_shape(raw, outline):
    """Return the shape of a statement, and keep it for statements with the same outline."""
    shape = "?".join(SHAPE.findall(raw))
    if outline is not None:
        keep_few(SHAPES)
        SHAPES[outline] = shape
    return shape


def list_given(frame):
    """Return what a function was given."""
    code = frame.f_code
    return [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]


def is_called(frame, inner):
    """Return whether a function calls one that it was given, as caches and retries do."""
    return any([getattr(getattr(one, "__func__", one), "__code__", None) is inner.f_code for one in list_given(frame)])


def is_given(frame, raw, inner):
    """Return whether a function was given what it executes: its text, or a statement of SQLAlchemy that it hands on as it is."""
    given, handed, verb = list_given(frame), values_of(inner), raw.lstrip()[:VERB]
    is_text = any([type(one) is str and one.lstrip()[:VERB] == verb for one in given])
    return is_text or any([hasattr(type(one), "is_select") and any([one is other for other in handed]) for one in given])


def is_passage(frame, text, raw, inner):
    """Return whether a line only passes texts on: it has them from its caller, or several come from other lines of the app."""
    line, role, outer = line_of(frame), find_role(frame.f_code.co_filename), frame.f_back
    while outer is not None and (find_role(outer.f_code.co_filename) != role or line_of(outer) == line):
        outer = None if find_role(outer.f_code.co_filename) is END else outer.f_back
    if outer is None or line in PASSED:
        return False
    with LOCK:
        texts = THROUGH.setdefault(line, {})
        texts.setdefault(text, line_of(outer))
        if len(set(texts.values())) < MANY and not (
            is_called(frame, inner) or outer is frame.f_back and is_given(frame, raw, inner)
        ):
            return False
        PASSED.add(line)
        FOUND.clear()
        DEPTHS.clear()
        return True


def recall_call(system, text):
    """Return the call that a text or shape was at this place before, or SHARED. Walking the stack costs much more."""
    for depths in DEPTHS.get(text, ()):
        key = system, text
        try:
            for depth in depths:
                key += sign_of(depth, sys._getframe(depth + 1 if depth >= 0 else -depth))
        except ValueError:
            continue
        if len(depths) > 1 and MAKER.get():
            continue  # the line that made the task is the place
        call = FOUND.get(key, SHARED)
        if call is not SHARED:
            return call
    return SHARED


def read_text(raw):
    """Return the text of a statement, in any form that drivers take."""
    if isinstance(raw, (bytes, bytearray)):
        return bytes(raw[: 2 * MAX_RAW]).decode("utf-8", "replace")
    return raw.as_string(None) if hasattr(raw, "as_string") else str(raw)  # psycopg's sql.Composed
