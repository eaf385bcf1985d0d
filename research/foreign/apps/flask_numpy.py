"""A forecasting service: numpy with native threads, a login that hashes, JSON written by a view."""
import functools
import json
import re

import bcrypt
import numpy
from flask import Flask, abort, request

from clocks import view, watch, watch_wsgi

app = Flask(__name__)
PASSWORD = bcrypt.hashpw(b"secret", bcrypt.gensalt(6))
LINES = [f"order {i} of customer {i * 7919 % 997} weighs {i % 83} kg" for i in range(20000)]
ROWS = [{"id": i, "name": f"row {i}", "tags": ["a", "b", str(i)], "size": i / 7} for i in range(700)]


def require_key(view):
    @functools.wraps(view)
    def check(*args, **kwargs):
        if request.headers.get("X-Key") != "k":
            abort(401)
        return view(*args, **kwargs)

    return check


@app.get("/forecast/<int:seed>")
@view("GET /forecast/:id")
def forecast(seed):
    return {"seed": seed, "next": solve(seed)}


def solve(seed):
    series = numpy.random.default_rng(seed).normal(size=(260, 260))
    return float(numpy.linalg.solve(series @ series.T + numpy.eye(260), series[0])[0])


@app.get("/export")
@require_key
@view("GET /export")
def export():
    return app.response_class(json.dumps(ROWS, indent=1), mimetype="application/json")


@app.post("/login")
@view("POST /login")
def login():
    if not bcrypt.checkpw(request.get_json()["password"].encode(), PASSWORD):
        abort(401)
    return {"token": "t"}


@app.get("/search")
@require_key
@view("GET /search")
def search():
    return {"found": find_lines(request.args["q"])}


def find_lines(wanted):
    pattern = re.compile(rf"customer \d*{re.escape(wanted)}\d* ")
    return sorted(line for line in LINES if pattern.search(line))[:20]


@app.get("/health")
@view("GET /health")
def health():
    return "ok"


watch("json:dumps")
watch("bcrypt:checkpw")
watch("flask_numpy:find_lines")
app.wsgi_app = watch_wsgi(app.wsgi_app)
