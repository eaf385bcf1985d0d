"""A comic browser: each card has the newest of the times at which its issues were updated, which a query joins into a text."""

import os
from datetime import datetime, timedelta

from flask import Flask, jsonify, request

FIXED = os.environ.get("FIXED") == "1"
FORMAT = "%Y-%m-%d %H:%M:%S.%f"
START = datetime(2024, 1, 15, 10, 30, 45, 123456)
app = Flask(__name__)


def joined_times(card):
    return ",".join(str(START + timedelta(hours=card * 7 + issue * 31)) for issue in range(40))


CARDS = [{"name": f"Series {n}", "times": joined_times(n)} for n in range(60)]


def newest(card):
    latest = datetime.min
    for text in card["times"].split(","):
        if FIXED:
            updated = datetime.fromisoformat(text)
        else:
            updated = datetime.strptime(text, FORMAT)  # CAUSE
        latest = max(latest, updated)
    return latest


def card_of(card):
    return {"name": card["name"], "mtime": newest(card).timestamp()}


@app.get("/browser")
def browser():
    first = 30 * (int(request.args.get("page", "1")) - 1)
    return jsonify([card_of(card) for card in CARDS[first : first + 30]])


@app.get("/names")
def names():
    return jsonify([card["name"] for card in CARDS])
