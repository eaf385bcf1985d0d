"""Whether the one known limit of an app is lifted, and whether the companion is in it."""
import os

FIXED = os.environ.get("FIXED") == "1"


def with_companion(app):
    if os.environ.get("LOADFLAME") != "1":
        return app
    from loadflame_companion import wrap

    return wrap(app)
