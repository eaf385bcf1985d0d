"""Prices of a shop, with exchange rates that are parsed from a table of the central bank."""

import os
from decimal import Decimal
from functools import lru_cache

from flask import Flask, jsonify, request

FIXED = os.environ.get("FIXED") == "1"
CODES = [f"{a}{b}{n}" for a in "ABCDEFGHIJ" for b in "KLMNOPQRST" for n in range(9)]
TABLE = "\n".join(f"{code};{1 + n / 37:.6f};2026-11-{1 + n % 28:02}" for n, code in enumerate(CODES))
ITEMS = [{"item": f"item {n}", "price": Decimal(100 + n), "currency": CODES[n * 7 % 900]} for n in range(25)]

app = Flask(__name__)


def read_rates(day):
    found = {}
    for line in TABLE.splitlines():
        code, rate, since = line.split(";")
        if since <= day:
            found[code] = Decimal(rate)
    return found


cached_rates = lru_cache(maxsize=32)(read_rates)


def convert(items, day):
    if FIXED:
        rates_of = cached_rates
    else:

        @lru_cache(maxsize=32)  # CAUSE
        def rates_of(day):
            return read_rates(day)  # CAUSE

    prices = []
    for item in items:
        rate = rates_of(day).get(item["currency"], Decimal(1))
        prices.append({"item": item["item"], "price": str(item["price"] * rate)})
    return prices


@app.get("/prices")
def prices():
    return jsonify(convert(ITEMS, request.args.get("day", "2026-11-30")))


@app.get("/items")
def items():
    return jsonify([item["item"] for item in ITEMS])
