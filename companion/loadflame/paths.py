"""Names files and lines of code as profiles do, and distinguishes the app from its libraries."""

import functools
import os
import re
import sys

from .routes import MAX_NAME

MAX_TEXTS = 2000
# pip also puts scripts beside Python; some are modules (bottle.py), and the server finds them there first
LIBRARY = re.compile(
    r"[/\\](?:(?:site|dist)-packages|lib(?:64)?[/\\]python3[.\d]*t?)[/\\]|^<frozen |^%s[/\\](?:bin|Scripts)[/\\]"
    % re.escape(sys.prefix)
)


@functools.lru_cache(maxsize=MAX_TEXTS)
def shorten_path(path):
    """Name a file below site-packages, or else below the innermost folder that is no package. Cython names its own so."""
    site = re.match(r".*[/\\](?:site|dist)-packages[/\\](?:[^/\\]+\.(?:egg|whl|zip)[/\\])?|(?=\w[\w/]*\.pyx\Z)", path)
    folder = os.path.dirname(path if path.endswith(".py") else os.path.dirname(path))  # templates are in one of their own
    while not site and os.path.dirname(folder) != folder and os.path.exists(folder + "/__init__.py"):
        folder = os.path.dirname(folder)
    return path[site.end() if site else len(folder) :].lstrip("/")[-MAX_NAME:]


@functools.lru_cache(maxsize=MAX_TEXTS)
def tell_place(code, line):
    """Describe where a coroutine is suspended, as py-spy does."""
    file, line, name = place_of_code(code, line)
    return ("%s (%s:%d)" % (name, file, line or 0)).replace(";", "\\x3b")


def place_of_code(code, line):
    """Name a line of code as profiles do."""
    return shorten_path(code.co_filename), line, getattr(code, "co_qualname", code.co_name)[:MAX_NAME]
