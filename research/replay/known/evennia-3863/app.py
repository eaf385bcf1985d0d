"""A map of rooms: what is drawn around a player, and one room."""

import os

from flask import Flask, jsonify

FIXED = os.environ.get("FIXED") == "1"
SIZE = 40
ROOMS = [
    {"x": n % SIZE, "y": n // SIZE, "symbol": "#+.~"[n * 7 % 4], "name": f"room {n}"} for n in range(SIZE * SIZE)
]
AT = {(room["x"], room["y"]): room for room in ROOMS}

app = Flask(__name__)


def room_at(x, y):
    if FIXED:
        return AT.get((x, y))
    for room in ROOMS:  # CAUSE
        if room["x"] == x and room["y"] == y:  # CAUSE
            return room
    return None


def draw(centre, radius):
    lines = []
    for y in range(centre["y"] - radius, centre["y"] + radius + 1):
        symbols = [room_at(x, y) for x in range(centre["x"] - radius, centre["x"] + radius + 1)]
        lines.append("".join(room["symbol"] if room else " " for room in symbols))
    return lines


@app.get("/rooms/<int:number>/map")
def show_map(number):
    return jsonify(lines=draw(ROOMS[number], 4))


@app.get("/rooms/<int:number>")
def show_room(number):
    return jsonify(ROOMS[number])
