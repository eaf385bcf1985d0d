"""Pages of a desk; each includes bundles whose file names are in a manifest that the cache keeps as JSON."""

import hashlib
import json
import os

from flask import Flask, render_template
from jinja2 import DictLoader

FIXED = os.environ.get("FIXED") == "1"
BUNDLES = [f"{app}/{part}.bundle.{kind}" for app in "abcdefgh" for part in range(40) for kind in ("js", "css")]
MANIFEST = json.dumps({name: f"/assets/{hashlib.md5(name.encode()).hexdigest()}/{name}" for name in BUNDLES})
CACHE = {"assets_json": json.loads(MANIFEST) if FIXED else MANIFEST}
PAGE = """<!doctype html><html><head><title>{{ title }}</title>
{% for name in styles %}<link rel="stylesheet" href="{{ bundled_asset(name) }}">
{% endfor %}</head><body><h1>{{ title }}</h1><ul>{% for item in items %}<li>{{ item }}{% endfor %}</ul>
{% for name in scripts %}<script src="{{ bundled_asset(name) }}"></script>
{% endfor %}</body></html>"""
app = Flask(__name__)
app.jinja_loader = DictLoader({"page": PAGE})


def get_cached(key):
    """A cache in memory; that of the original is in Redis."""
    return CACHE[key]


def get_assets():
    if FIXED:
        return get_cached("assets_json")
    return json.loads(get_cached("assets_json"))  # CAUSE


@app.template_global()
def bundled_asset(name):
    return get_assets()[name]  # CAUSE


def show(title, items, parts):
    styles = [f"{part}/1.bundle.css" for part in parts[:3]]
    scripts = [f"{part}/{number}.bundle.js" for part in parts for number in (2, 3)]
    return render_template("page", title=title, items=items, styles=styles, scripts=scripts)


@app.get("/")
def home():
    return show("Home", [f"Module {number}" for number in range(12)], "abcd")


@app.get("/orders")
def orders():
    return show("Orders", [f"Order {number}: {number * 17 % 400} EUR" for number in range(40)], "aef")


@app.get("/api/ping")
def ping():
    return {"message": "pong"}
