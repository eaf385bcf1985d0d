"""Converts amounts between currencies at the rates of a provider."""
import os
import random

import falcon
import requests
from rate_cache import RateCache

PROVIDER = os.environ["OTHER"]
CURRENCIES = ["CHF", "CZK", "DKK", "GBP", "HUF", "ISK", "JPY", "NOK", "PLN", "RON", "SEK", "USD"]
RATE_TTL_SEC = 0.1

cache = RateCache(RATE_TTL_SEC, lock_per_key=bool(os.environ.get("FIXED")))


def load_rate(pair: str) -> float:
    response = requests.get(f"{PROVIDER}rates/{pair}", timeout=10)
    response.raise_for_status()
    return response.json()["value"] / 40


class Conversion:
    """`GET /convert/{amount}`: from euros to the currency of a shop visitor."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, amount: int) -> None:
        currency = req.get_param("to") or random.choice(CURRENCIES)
        rate = cache.get(f"EUR-{currency}", load_rate)
        resp.media = {"amount": round(amount * rate, 2), "currency": currency}


app = falcon.App()
app.add_route("/convert/{amount:int}", Conversion())
