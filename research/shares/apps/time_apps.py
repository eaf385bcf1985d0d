"""`python time_apps.py loops tls …`: what the parts of apps take alone, us per request."""

import importlib
import sys
import time

for name in sys.argv[1:]:
    app = importlib.import_module(name)
    spent = dict.fromkeys(app.PARTS, 0.0)

    def measure(part, function):
        def timed(*args):
            started = time.thread_time()
            try:
                return function(*args)
            finally:
                spent[part] += time.thread_time() - started

        return timed

    for part in app.PARTS:
        setattr(app, part, measure(part, getattr(app, part)))
    for _ in range(60):
        app.request()
    print(name, {part: round(seconds / 60 * 1e6) for part, seconds in spent.items()})
