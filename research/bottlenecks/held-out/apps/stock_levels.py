"""Stock levels of a shop: kept in memory, confirmed by the warehouse."""
import os
import threading

import requests
from flask import Flask, jsonify

WAREHOUSE = os.environ["OTHER"]

app = Flask(__name__)
levels: dict[str, int] = {}
levels_lock = threading.Lock()


def confirm(article: str) -> int:
    response = requests.get(f"{WAREHOUSE}stock/{article}", timeout=10)
    response.raise_for_status()
    return response.json()["value"]


@app.get("/articles/<article>/stock")
def stock(article: str):
    confirmed = confirm(article)
    with levels_lock:
        changed = levels.get(article) != confirmed
        levels[article] = confirmed
    return jsonify(article=article, level=confirmed, changed=changed)
