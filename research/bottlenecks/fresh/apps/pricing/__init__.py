"""Prices of products, with discounts from the campaign service."""

import os

from flask import Flask

from .book import PriceBook
from .campaigns import CampaignClient

app = Flask(__name__)
book = PriceBook(CampaignClient(os.environ["OTHER"]))


@app.get("/products/<sku>/price")
def price(sku):
    amount = book.quote(sku)
    return {"sku": sku, "amount": amount, "currency": "EUR"}
