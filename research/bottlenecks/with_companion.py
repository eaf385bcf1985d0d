"""The ASGI app of the module that APP names, with the companion around it."""
import importlib
import os

from loadflame_companion import wrap

app = wrap(importlib.import_module(os.environ["APP"]).app)
