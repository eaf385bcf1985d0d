"""Freight quotes: the partner answers 429 above its quota, and the app tries again."""
import os
import time

import requests
from flask import Flask

app = Flask(__name__)
session = requests.Session()
session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=32))


def quote(route):
    pause = 0.1
    while True:
        answer = session.get(os.environ["OTHER"], params={"route": route}, timeout=10)
        if answer.status_code != 429:
            return answer.text
        time.sleep(pause)
        pause = min(0.4, 2 * pause)


@app.get("/quotes/<int:route>")
def show_quote(route):
    return {"route": route, "price": quote(route)}
