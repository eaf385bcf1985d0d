"""Keeps calls to a metered provider below its quota."""

import functools
import threading
import time


class Throttle:
    def __init__(self, per_second):
        self.interval = 1.0 / per_second
        self._guard = threading.Lock()
        self._last = 0.0

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            self.wait()
            return func(*args, **kwargs)

        return wrapper

    def wait(self):
        with self._guard:
            pause = self._last + self.interval - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            self._last = time.monotonic()
