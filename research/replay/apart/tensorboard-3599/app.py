"""Lists the tags of a training run with their descriptions as HTML."""

import os
import threading

import bleach
import markdown
from flask import Flask, jsonify

FIXED = os.environ.get("FIXED") == "1"
TAGS = frozenset("p a em strong code pre ul ol li h1 h2 h3 blockquote br hr table tr td th img".split())
ATTRIBUTES = {"a": ["href", "title"], "img": ["src", "alt", "title"]}
NOTE = "Mean of the **validation** loss of an epoch, see [the notes](https://example.org).\n\n* step\n* value"

app = Flask(__name__)
local = threading.local()
SUMMARIES = {
    f"run{run}": {f"layer{layer}/loss": NOTE if layer % 8 == 0 else "" for layer in range(24)} for run in range(2)
}


def to_html(text):
    if not hasattr(local, "markdown"):
        local.markdown = markdown.Markdown(extensions=["tables"])
    local.markdown.reset()
    return local.markdown.convert(text)


def clean(html):
    if not FIXED:
        return bleach.clean(html, tags=TAGS, attributes=ATTRIBUTES)  # CAUSE
    if not hasattr(local, "cleaner"):
        local.cleaner = bleach.Cleaner(tags=TAGS, attributes=ATTRIBUTES)
    return local.cleaner.clean(html)


@app.get("/data/plugin/scalars/tags")
def tags():
    return jsonify(
        {
            run: {tag: {"displayName": tag, "description": clean(to_html(text))} for tag, text in summaries.items()}
            for run, summaries in SUMMARIES.items()
        }
    )


@app.get("/data/runs")
def runs():
    return jsonify(sorted(SUMMARIES))
