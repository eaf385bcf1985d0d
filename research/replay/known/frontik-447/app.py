"""A page from several backends. A thread prepares each."""

import os
from concurrent.futures import ThreadPoolExecutor

from flask import Flask, jsonify

FIXED = os.environ.get("FIXED") == "1"
PARTS = ["header", "vacancies", "banner", "articles", "footer", "counters"]
SHARED = ThreadPoolExecutor(max_workers=6)

app = Flask(__name__)


def part(name):
    return {"part": name, "html": f"<section id='{name}'>" + "<p>…</p>" * 5 + "</section>"}


def all_parts():
    if FIXED:
        return list(SHARED.map(part, PARTS))
    with ThreadPoolExecutor(max_workers=6) as pool:  # CAUSE
        return list(pool.map(part, PARTS))  # CAUSE


@app.get("/page")
def page():
    return jsonify(all_parts())


@app.get("/parts/<name>")
def one(name):
    return jsonify(part(name))
