"""Shows loadflame which request a sample of the profiler belongs to, and reports what each request cost.

WSGI apps under gunicorn: use it as gunicorn's configuration, or with one line anywhere in your own:

    LOADFLAME=1 gunicorn -c loadflame_companion.py app:app
    import loadflame_companion

ASGI apps (FastAPI, Starlette, Django) under any server: one line at the end of the module with the app.
gunicorn's uvicorn workers need either that or the line in gunicorn's configuration.

    app = loadflame_companion.wrap(app)

It defines no setting and no server hook (post_fork, when_ready, ...), so it replaces none of yours.
Without LOADFLAME=1 or LOADFLAME=<key> in the server's environment it does nothing: wrap() returns the app itself.
With it, in every worker:

- Two frames are on the stack around the app while a request is served: a function that is named
  after the route ("GET /api/v1/services/:id", in the file "<loadflame route>"), and one that is named
  after the half-second in which it began ("<loadflame time>"). Only a profiler sees them.
- Responses carry a header, "Server-Timing: total;dur=12.3, cpu;dur=4.5, worker;desc="1f2e3d4c.4312",
  around;dur=0.6, now;dur=1795211103000.1, companion;desc="0.1.0"": milliseconds up to the headers of the response,
  CPU time of its threads, the worker (a hash of host name and parent process, then the worker's process id),
  CPU time of the server around requests, its clock (since the epoch), and the version of this file. "route" is what the framework found; "ended" is that
  of threads that ended meanwhile, where no other request ran.
- Responses to requests that executed SQL, or asked another service, say so in a header "Loadflame-Calls": JSON,
  per statement the number of executions, the time, and the line of the app; no values. LOADFLAME_CALLS=0: without.
- Such a client can ask for two seconds which named functions get the same arguments and return the same again, in a
  header "Loadflame-Same": only counts. Meanwhile each call of a function in Python costs 1.3 µs more, and one of those 17 µs.
- With LOADFLAME=1 only clients on this machine that came through no proxy get these headers; with a key (16 characters
  or more) those that send it as "Loadflame-Key". Such responses are "Cache-Control: no-store".
- On Linux, processes of the same user may trace the server (prctl PR_SET_PTRACER), so that py-spy
  needs no sudo.

A coroutine is on the stack only while it runs: each of its steps, from one await to the next, runs
below frames of its own, and is timed. So are the tasks that it starts (by a task factory) and its calls in
threads (anyio.to_thread.run_sync, and in WSGI workers too Thread.start and ThreadPoolExecutor.submit are replaced). A step also counts what the event
loop did just before it, except timers of others (call_later and call_at of the loop are replaced). The next
response of the route reports what a request does after its headers. If a part is unknown, "cpu" is left out. A
step of more than 0.1 s delays all other requests of the worker: "blocked;dur=153.1, blocked-cpu;dur=0.4" reports
the longest one, and its CPU time.

A suspended coroutine is on no stack. So four threads of the companion each show one request in progress,
chosen again five times a second: they sleep below a frame whose name says where its coroutines wait, from
the app's own to the innermost `await`. A profiler that samples sleeping threads sees it.

LOADFLAME_REMEDY=<cause>, beside LOADFLAME, tries the fix of a cause that loadflame names, in memory only: see
"remedies" below. Lines on stderr report what it replaced and how often it acted.

It writes no file and keeps nothing of a request. If something in it fails, the app is called without it.
Python 3.8 and newer; no dependencies. The file may also have its old name, loadflame_gunicorn.py.
"""

import os
import re
import time

__version__ = "0.1.0"  # loadflame's; pyproject.toml reads it here
__all__ = []  # "from loadflame_companion import *" is as good as "import loadflame_companion"

# not every system has these
thread_time = getattr(time, "thread_time", None)
clock_id_of = getattr(time, "pthread_getcpuclockid", lambda ident: None)

SETTING = os.environ.get("LOADFLAME", "")
KEY = SETTING.encode() if re.match(r"[!-~]{16,}\Z", SETTING) else None
IS_ACTIVE = SETTING == "1" or KEY is not None


def write_line(text):
    """Write a line to stderr with one call, because processes share it."""
    try:
        os.write(2, b"%s\n" % text.encode("utf-8", "replace"))
    except OSError:
        pass  # closed
