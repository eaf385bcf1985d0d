"""A coroutine whose steps are those of a request."""

import collections.abc

MAX_DEPTH = 100  # of a chain of awaits


class Steps(collections.abc.Coroutine):
    """A coroutine whose steps are those of a request; else it is what it wraps."""

    __slots__ = ("coroutine", "resume", "run_step")

    def __init__(self, coroutine, run_step):
        """Wrap a coroutine, started or not; run_step(resume, value) runs each of its steps."""
        self.coroutine = coroutine
        self.resume = coroutine.send
        self.run_step = run_step

    def __getattr__(self, name):
        """Return an attribute of the coroutine: cr_frame, __qualname__, ..."""
        return getattr(object.__getattribute__(self, "coroutine"), name)

    def __await__(self):
        """Return itself as the iterator of its steps."""
        return self

    def __next__(self):
        """Run the next step."""
        return self.run_step(self.resume, None)

    def send(self, value):
        """Run the next step."""
        return self.run_step(self.resume, value)

    def throw(self, *error):
        """Run the next step, which starts with an error: most often a cancellation."""
        return self.run_step(lambda _: self.coroutine.throw(*error), None)

    def close(self):
        """End at once."""
        return self.coroutine.close()
