"""Lets py-spy read the processes of the server."""

import functools
import os


def allow_tracing():
    """Let any process of this user trace this one; best effort. It is not inherited."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, PR_SET_PTRACER_ANY
    except Exception:
        pass  # another system than Linux, no libc to call, or forbidden: py-spy then says what to do


@functools.lru_cache(maxsize=None)
def allow_tracing_from_now_on():
    """Let this process be traced, and every one that is forked from it."""
    allow_tracing()
    os.register_at_fork(after_in_child=allow_tracing)
