"""Remedies that let garbage collections be rarer or smaller."""

import gc

from ..requests import CALLER
from .remedy import Remedy


class Collector(Remedy):
    """Changes the collector in each process at its first collection in a request: the app is loaded by then."""

    places = {}

    def __init__(self, value):
        """Refuse a Python that does not say when it collects."""
        super().__init__(value)
        if not hasattr(gc, "callbacks"):
            raise ValueError("this Python has no gc.callbacks")

    def start(self):
        """Wait for that collection; so does each forked process."""
        super().start()
        gc.callbacks.append(self.on_collection)

    def on_collection(self, phase, info):
        """Be called before and after a collection, anywhere."""
        if phase == "stop" and CALLER.get() is not None and not self.acted:
            self.acted = 1  # at once: what follows may collect
            self.replaced = [self.change()]
            self.say()


class Freeze(Collector):
    """Leaves the objects of the start out of later collections."""

    cause = "gc-freeze"

    def change(self):
        """Freeze what lives now; return what that replaces."""
        gc.freeze()
        return "full collections of all objects"


class Threshold(Collector):
    """Lets collections be rarer."""

    cause = "gc-threshold"

    def __init__(self, value):
        """Take the allocations of containers after which young objects are collected."""
        if not value.isascii() or not value.isdigit() or int(value) < 1:
            raise ValueError("it takes a number of allocations, such as gc-threshold:50000, but got %r" % value)
        super().__init__("")
        self.allocations = int(value)

    def change(self):
        """Set the threshold; return what that replaces."""
        first, *others = gc.get_threshold()
        gc.set_threshold(self.allocations, *others)
        return "the threshold %d" % first
