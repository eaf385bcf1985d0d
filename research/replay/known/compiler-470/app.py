"""Suggests files for a prompt: those whose text has a word with the stem of one of the prompt's words."""

import functools
import os
import re

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

FIXED = os.environ.get("FIXED") == "1"
WORDS = ["token", "session", "parser", "queue", "schema", "render", "cursor", "ledger", "socket", "bundle"]
FILES = [
    {"name": f"src/{word}_{n}.py", "text": " ".join(f"{WORDS[(n * k) % 10]}s of {word}" for k in range(6))}
    for n, word in enumerate(WORDS * 12)
]


def pattern_for(stem, folder):
    return re.compile(rf"\b{re.escape(stem)}(?:s|es|ed|ing)?\b(?!.*{folder})", re.IGNORECASE)  # CAUSE


kept_pattern = functools.lru_cache(maxsize=1024)(pattern_for)


def score(stem, file):
    # one of 120 folders: more patterns than Python keeps
    find = kept_pattern if FIXED else pattern_for
    pattern = find(stem, file["name"].rpartition(".")[0])  # CAUSE
    return 1 if pattern.search(file["text"]) else 0


def suggest(prompt):
    stems = sorted({word.lower().rstrip("s") for word in prompt.split() if len(word) > 4})
    scores = {file["name"]: sum(score(stem, file) for stem in stems) for file in FILES}
    return sorted((name for name in scores if scores[name]), key=lambda name: (-scores[name], name))[:5]


async def suggestions(request):
    return JSONResponse(suggest(request.query_params.get("prompt", "")))


async def files(_request):
    return JSONResponse([file["name"] for file in FILES])


app = Starlette(routes=[Route("/suggestions", suggestions), Route("/files", files)])
