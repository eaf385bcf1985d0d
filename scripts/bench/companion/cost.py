"""What the companion costs a request: CPU time per call of an app with and without it, in microseconds.

Prints JSON. The paths hold ids, half of them never seen before: looking up a route is part of it.
"""

import importlib.util
import json
import statistics
import sys
import time

ROUNDS = 15
CALLS = 2000


def app(environ, start_response):
    """Answer with an iterable that has to be wrapped, as frameworks do."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return iter((b"ok",))


def start_response(_status, _headers, _exc_info=None):
    """Take the headers, as a server."""


def measure(call, environs):
    """CPU time of a round of requests, in microseconds each: the machine may be busy."""
    started = time.process_time()
    for environ in environs:
        for _part in call(environ, start_response):
            pass
    return (time.process_time() - started) / len(environs) * 1e6


def main():
    """Alternate rounds with and without the companion."""
    spec = importlib.util.spec_from_file_location("loadflame_gunicorn", sys.argv[1])
    companion = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(companion)
    wrapped = companion.Companion(app, "00000000.1")
    bare, with_it = [], []
    for number in range(ROUNDS):
        ids = [number * CALLS + at if at % 2 else at % 50 for at in range(CALLS)]
        environs = [
            {"REQUEST_METHOD": "GET", "RAW_URI": "/api/v1/citizens/%d/?page=1" % one} for one in ids
        ]
        bare.append(measure(app, environs))
        with_it.append(measure(wrapped, environs))
    costs = [after - before for before, after in zip(bare, with_it)]
    print(json.dumps({"microseconds": statistics.median(costs), "worst": max(costs)}))


if __name__ == "__main__":
    main()
