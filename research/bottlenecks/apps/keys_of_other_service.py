"""Each request fetches the keys of another service, which answers one at a time; the fix keeps them."""
import functools
import os
import urllib.request
from flask import Flask
from known import FIXED

app = Flask(__name__)


def fetch_keys():
    with urllib.request.urlopen(os.environ["OTHER"], timeout=10) as response:
        return response.read()


get_keys = functools.cache(fetch_keys) if FIXED else fetch_keys


def render():
    total = 0
    for number in range(40000):
        total += number
    return total


@app.get("/")
def show():
    return {"keys": len(get_keys()), "total": render()}
