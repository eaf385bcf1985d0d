"""The companion's name of old, for configurations that find it here: loadflame_companion.py is all of it."""

import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import loadflame_companion  # noqa: E402

# "from loadflame_gunicorn import Companion", too
sys.modules[__name__] = loadflame_companion
