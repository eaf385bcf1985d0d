"""Many readers or one writer."""

import threading
from contextlib import contextmanager


class ReadWriteLock:
    def __init__(self):
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False

    @contextmanager
    def reading(self):
        with self._changed:
            self._changed.wait_for(lambda: not self._writing)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self):
        with self._changed:
            self._changed.wait_for(lambda: not self._writing and not self._readers)
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
