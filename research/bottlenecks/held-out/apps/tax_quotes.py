"""Quotes the tax of a basket, as the tax authority's service calculates it."""
import os

import httpx
from flask import Flask, jsonify, request

MAX_CONNECTIONS = 32 if os.environ.get("FIXED") else 2

app = Flask(__name__)
tax_service = httpx.Client(
    base_url=os.environ["OTHER"],
    limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
    timeout=httpx.Timeout(10, pool=60),
    headers={"user-agent": "shop/4.2"},
)


def tax_of(country: str, net_cents: int) -> int:
    response = tax_service.get("/quote", params={"country": country, "net": net_cents})
    response.raise_for_status()
    return net_cents * response.json()["value"] // 200


@app.get("/baskets/<int:basket>/tax")
def quote(basket: int):
    net_cents = 1000 + 37 * basket
    tax_cents = tax_of(request.args.get("country", "SE"), net_cents)
    return jsonify(basket=basket, net=net_cents, tax=tax_cents, gross=net_cents + tax_cents)


@app.errorhandler(httpx.HTTPError)
def tax_service_failed(error: httpx.HTTPError):
    app.logger.warning("tax service: %s", error)
    return jsonify(error="tax service is not available"), 503
