"""Whether calls of a service wait for each other there, and how long the quickest of them took."""

import math

from ..requests import LOCK
from .ledger import keep_few

TURNS = {}  # service -> its Turns
LEAST = 20  # calls
MOST = 1000  # a service may change, so older ones count half
SURELY = 4  # standard errors
NEAR_ONE = (0.5, 1.5)


class Turns:
    """The calls of a service that are under way, and sums for a line through times and numbers."""

    __slots__ = ("open", "sums", "quickest")

    def __init__(self):
        """Begin without a call."""
        self.open = set()
        self.sums = [0.0] * 6  # calls, others, their squares, seconds, their squares, seconds x others
        self.quickest = math.inf

    def is_one_line(self):
        """Return whether each other call under way adds its part of the time: alone, a call takes one part."""
        n, x, xx, y, yy, xy = self.sums
        if n < LEAST or n * xx <= x * x or y <= 0:
            return False
        spread, both = xx - x * x / n, xy - x * y / n
        slope = both / spread
        error = math.sqrt(max(0.0, yy - y * y / n - slope * both) / (n - 2) / spread)
        return slope > SURELY * error and NEAR_ONE[0] < slope * (x + n) / y < NEAR_ONE[1]


class Turn:
    """A call of a service, which is under way from its first step on: it may be cancelled before."""

    __slots__ = ("turns", "others")

    def __init__(self, text):
        """Take the service from a description, as "GET host/path"."""
        keep_few(TURNS)
        self.turns = TURNS.setdefault(text.split(" ", 1)[1].split("/", 1)[0], Turns())

    def toggle(self):
        """Be under way, or no longer."""
        self.others = len(self.turns.open)
        self.turns.open ^= {self}

    def end(self, seconds):
        """Return how many microseconds the quickest call took, if they wait for each other, else None."""
        turns, others = self.turns, self.others
        with LOCK:
            turns.quickest = min(turns.quickest, seconds)
            kept = 0.5 if turns.sums[0] >= MOST else 1.0
            new = 1, others, others * others, seconds, seconds * seconds, seconds * others
            turns.sums = [kept * old + one for old, one in zip(turns.sums, new)]
            return int(turns.quickest * 1e6) if turns.is_one_line() else None
