"""Loaded by Python at its start: measures the demo's TLS contexts, without a change of the demo."""

import os

if os.environ.get("SHARES_DEMO"):
    import ssl

    import share_clock

    ssl.create_default_context = share_clock.measured(0, ssl.create_default_context)

    def tick_on_exit(handle):
        def handled(*args, **options):
            try:
                return handle(*args, **options)
            finally:
                share_clock.tick()

        return handled

    import flask

    flask.Flask.wsgi_app = tick_on_exit(flask.Flask.wsgi_app)
