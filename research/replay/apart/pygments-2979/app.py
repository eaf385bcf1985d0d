"""Highlights snippets of code; packages can add languages through entry points."""

import functools
import importlib.metadata
import json
import keyword
import os
import re
from fnmatch import fnmatch
from html import escape

from aiohttp import web

FIXED = os.environ.get("FIXED") == "1"
GROUP = "snippets.languages"
WORD = re.compile(r"(?P<comment>#.*)|(?P<text>\"[^\"]*\")|(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)")


class Language:
    def __init__(self, name, patterns, words):
        self.name, self.patterns, self.words = name, patterns, frozenset(words)

    def highlight(self, code):
        def mark(found):
            kind, text = found.lastgroup, escape(found[0])
            if kind == "word" and text not in self.words:
                return text
            return f'<b class="{kind}">{text}</b>'

        return WORD.sub(mark, code)


BUILT_IN = [
    Language("python", ["*.py", "*.pyi"], keyword.kwlist),
    Language("c", ["*.c", "*.h"], ["int", "char", "return", "if", "else", "for", "while", "struct"]),
    Language("text", ["*.txt"], []),
]


def find_plugins():
    return [entry.load() for entry in importlib.metadata.entry_points(group=GROUP)]  # CAUSE


if FIXED:
    find_plugins = functools.cache(find_plugins)


def language_for(name):
    for language in [*BUILT_IN, *find_plugins()]:
        if any(fnmatch(name, pattern) for pattern in language.patterns):
            return language
    return BUILT_IN[-1]


async def highlight(request):
    asked = json.loads(await request.text())
    language = language_for(asked["name"])
    return web.json_response({"language": language.name, "html": language.highlight(asked["code"])})


async def languages(_request):
    return web.json_response([language.name for language in BUILT_IN])


app = web.Application()
app.add_routes([web.post("/api/highlight", highlight), web.get("/api/languages", languages)])
