"""Postage: the cheapest way to pack a parcel, calculated in the only worker."""
from functools import lru_cache

from flask import Flask, jsonify

app = Flask(__name__)
BOXES = [(3, 210), (5, 320), (8, 470), (13, 690), (21, 980)]


class Packer:
    def __init__(self, boxes):
        self.boxes = boxes

    def cheapest(self, volume):
        best = [0] + [None] * volume
        for filled in range(1, volume + 1):
            best[filled] = min(best[max(0, filled - size)] + price for size, price in self.boxes)
        return best[volume]


@lru_cache
def packer():
    return Packer(BOXES)


@app.get("/postage/<int:volume>")
def postage(volume):
    return jsonify(volume=volume, cents=packer().cheapest(volume))
