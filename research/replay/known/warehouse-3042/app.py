"""The page of a package, with the history of its releases."""

import os
import zlib

from flask import Flask, jsonify, render_template, url_for
from jinja2 import DictLoader

FIXED = os.environ.get("FIXED") == "1"
RELEASES = [{"version": f"{n // 100}.{n // 10 % 10}.{n % 10}", "day": f"2018-{n % 12 + 1:02}-11"} for n in range(400)]

HEAD = "<h1>{{ name }}</h1><h2>Release history</h2>"
ROW = """<div class="release">
  <img src="{{ %s }}" alt="">
  <a href="/project/{{ name }}/{{ release.version }}/">{{ release.version }}</a>
  <time datetime="{{ release.day }}">{{ release.day }}</time>
</div>"""
IN_LOOP = (
    HEAD
    + "{% for release in releases %}"
    + ROW % "static_url('images/blue-cube.svg') if loop.first else static_url('images/white-cube.svg')"
    + "{% endfor %}"
)
BEFORE_LOOP = (
    HEAD
    + "{% set blue = static_url('images/blue-cube.svg') %}{% set white = static_url('images/white-cube.svg') %}"
    + "{% for release in releases %}"
    + ROW % "blue if loop.first else white"
    + "{% endfor %}"
)

app = Flask(__name__)
app.jinja_loader = DictLoader({"history.html": BEFORE_LOOP if FIXED else IN_LOOP})


@app.template_global()
def static_url(name):
    return url_for("static", filename=name, v=f"{zlib.crc32(name.encode()):x}", _external=True)  # CAUSE


@app.get("/project/<name>/")
def history(name):
    return render_template("history.html", name=name, releases=RELEASES)  # CAUSE


@app.get("/pypi/<name>/json")
def as_json(name):
    return jsonify(name=name, latest=RELEASES[-1]["version"], releases=len(RELEASES))
