"""The ledger of a request: what it asks of databases and of other services, and the header that reports it."""

import itertools
import json
import math
from hashlib import sha256
from time import perf_counter

from ..requests import LATE, LOCK, RESTED, THREAD

CALLS_HEADER = "Loadflame-Calls"
MAX_CALLS = 500  # of one process
MAX_TOLD = 40  # of one response
# nginx refuses a response whose headers have more than 4 kB; names get what the calls leave of it
MAX_HEADER = 3000
MAX_TOLD_CHARS = 2000
SQL_HALVES = (495, 360, 240, 120, 50)
NAMED_EACH_S = 2
ASKED_AT = [-math.inf]  # when a client that sends single requests last asked for names
BIN = math.log(1.1)
POOL, COMMIT, HELD = object(), object(), object()  # a wait for a connection, a commit, an open transaction
SUMS = (("pool", POOL), ("commits", COMMIT), ("held", HELD), ("more", None))
ACTS = frozenset("file folder import compile process thread lookup tls engine".split())


def keep_few(kept):
    """Forget all entries where they are too many."""
    if len(kept) >= MAX_CALLS:
        kept.clear()


class Ledger:
    """The calls of a request, to databases and to other services."""

    __slots__ = ("times", "entries", "own", "inside")

    def __init__(self):
        # (call, one of SUMS, None for one of too many; seconds; rows; whether a transaction was open, None: rows of the last one)
        self.times = []
        self.entries = {}  # call -> [executions, us, rows, us in transactions, {bin: executions}]
        self.own = self.inside = 0.0  # CPU seconds of the companion, and in drivers and clients; None: not known

    def fold(self):
        """Sum the times, and return the sums; threads of the request may add some meanwhile."""
        fetched = {}  # call -> seconds in which rows were found, after the execution
        with LOCK:
            while self.times:
                call, seconds, rows, is_open = self.times.pop()
                entry = self.entries.get(call)
                if entry is None:
                    entry = self.entries[call] = [0, 0, None, 0, {}]
                if rows is not None:
                    entry[2] = (entry[2] or 0) + rows
                if is_open is None:
                    fetched[call] = fetched.get(call, 0.0) + seconds
                    continue
                us = int((seconds + fetched.pop(call, 0.0)) * 1e6)
                entry[0] += 1
                entry[1] += us
                if is_open:
                    entry[3] += us
                size = int(math.log(us or 1) / BIN + 0.5)
                entry[4][size] = entry[4].get(size, 0) + 1
        return self.entries

    def tell(self, late, requests=0):
        """Return the value of the header: calls of this ledger, and those of a late one of some requests."""
        both = self.fold(), late.fold()
        sums = {name: [sum(one) for one in zip(*[entries.pop(key, (0, 0))[:2] for entries in both])] for name, key in SUMS}
        more = sums["more"]
        texts, counts, chars = ([], []), {}, 0
        entries = [(call, entry, own) for own, one in zip(texts, both) for call, entry in one.items()]
        for call, entry, own in sorted(entries, key=lambda one: -one[1][1]):  # the most expensive first
            text = describe_entry(call, entry)
            if type(call) is not Call or len(own) == MAX_TOLD or chars + len(text) > MAX_TOLD_CHARS:
                if not is_act(call):  # those are sums of statements
                    more[:] = more[0] + entry[0], more[1] + entry[1]
            else:
                own.append(text)
                counts[call] = counts.get(call, 0) + entry[0]
                chars += len(text) + 1
        parts = ['"calls":[%s]' % ",".join(texts[0]), '"late":[%d,[%s]]' % (requests, ",".join(texts[1]))]
        parts += ['"%s":[%d,%d]' % (name, *own) for name, own in sums.items() if own[0]]
        inside, own = (self.inside, late.inside), self.own + late.own
        parts += ['"cpu":[%s,%d]' % ("null" if None in inside else int(sum(inside) * 1e6), own * 1e6)] if own else []
        names = choose_names(counts, MAX_HEADER - sum(map(len, parts)) - 20)
        return "{%s}" % ",".join(parts + (['"named":{%s}' % ",".join(names)] if names else []))


def is_act(call):
    """Return whether it is no call, but an act of the process itself, which takes no time of its own."""
    return getattr(call, "kind", None) in ACTS


def describe_entry(call, entry):
    """Return the sums of a call as JSON: id, executions, us, rows, us in transactions, bins of durations, kind."""
    count, us, rows, open_us, sizes = entry
    bins = ",".join(["[%d,%d]" % one for one in sorted(sizes.items())])
    tail = ',"%s"' % call.kind if getattr(call, "kind", "sql") != "sql" else ""
    known = getattr(call, "id", ""), count, us, "null" if rows is None else rows, open_us
    return '["%s",%d,%d,%s,%d,[%s]%s]' % (*known, bins, tail)


def choose_names(counts, space):
    """Return names that fit into a number of characters: those sent longest ago, calls before acts, the most frequent."""
    names, now = [], perf_counter()
    due = [call for call in counts if call.named_at < ASKED_AT[0] or now - call.named_at > NAMED_EACH_S]
    for call in sorted(due, key=lambda one: (one.named_at, is_act(one), -counts[one])):
        space -= len(call.named) + 1
        if space < 0:
            break
        call.named_at = now
        names.append(call.named)
    return names


def tell_calls(caller):
    """Return the calls of a request, and late ones of its route, as the value of a header; None: there are none."""
    try:
        ledger, caller.ledger = caller.ledger, False
        late = None if ledger is False else LATE.pop(caller.route, None)
        # no response reports those of the last requests: the client knows for how many of its load these stand
        requests = next(RESTED.pop(caller.route, itertools.count())) if late else 0
        return (late or ledger) and (ledger or Ledger()).tell(late or Ledger(), requests)
    except Exception:
        return None


def end_calls(caller):
    """Count a request that has ended, with or without calls after the headers of its response."""
    if caller.ledger is False:
        next(RESTED[caller.route])


def count_call(caller, call, seconds, rows=None, is_open=False):
    """Remember a call for the next response that can report it: False where the request's own has done so."""
    ledger = caller.ledger
    if ledger is None:
        with LOCK:
            ledger = caller.ledger = caller.ledger or Ledger()
    elif ledger is False:
        if getattr(THREAD, "late", None) is not None:
            return THREAD.late.append((call, seconds, rows, is_open))
        ledger = LATE.setdefault(caller.route, Ledger())
    ledger.times.append((call, seconds, rows, is_open))
    if len(ledger.times) > MAX_CALLS:
        ledger.fold()


def count_cpu(caller, own, inside):
    """Add CPU seconds of the companion around a call, and of the call, None: not known, to the calls of a request."""
    ledger = caller.ledger or LATE.get(caller.route)
    if ledger:
        ledger.own += own
        ledger.inside = None if None in (inside, ledger.inside) else ledger.inside + inside


class Call:
    """A statement, or a kind of request to another service, by the line of the app that makes it."""

    __slots__ = ("id", "kind", "named", "named_at")

    def __init__(self, kind, system, text, place, relation):
        """Name a call; place: file, line and function, or None."""
        values = (kind, system, text, *(place or (None, None, None)), relation)
        self.id = sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:8]
        self.kind = kind
        told = dict(zip(("kind", "system", "text", "file", "line", "function", "relation"), values))
        self.named_at = -math.inf
        for half in SQL_HALVES:
            if len(text) > 2 * half + 10:  # of a long one, columns in the middle say least
                told["text"] = "%s ... %s" % (text[:half], text[-half:])
            self.named = '"%s":%s' % (self.id, json.dumps(told, separators=(",", ":")))
            if len(self.named) < MAX_HEADER - MAX_TOLD_CHARS - 50:
                break
