"""Nested: one lock around a call of another service, which would take many at once."""
import os
import threading
import urllib.request
from flask import Flask
from known import FIXED

app = Flask(__name__)
token_lock = threading.Lock()


def ask():
    with urllib.request.urlopen(os.environ["OTHER"], timeout=10) as response:
        return response.read()


def refresh():
    if FIXED:
        return ask()
    with token_lock:
        return ask()


@app.get("/")
def show():
    return {"length": len(refresh())}
