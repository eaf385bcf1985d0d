"""Postcodes to coordinates, through a provider with a quota."""

import os

import requests
from flask import Flask, jsonify, request
from requests.adapters import HTTPAdapter

from throttle import Throttle

QUOTA = 2000 if os.environ.get("FIXED") else 40

app = Flask(__name__)
session = requests.Session()
session.mount("http://", HTTPAdapter(pool_maxsize=32))


class Provider:
    def __init__(self, base_url):
        self.base_url = base_url

    @Throttle(per_second=QUOTA)
    def locate(self, postcode):
        response = session.get(self.base_url, params={"q": postcode}, timeout=10)
        response.raise_for_status()
        return response.json()["value"]


provider = Provider(os.environ["OTHER"])


@app.get("/")
def locate():
    postcode = request.args.get("postcode", "1011AB")
    latitude = provider.locate(postcode)
    return jsonify(postcode=postcode, lat=latitude, lon=4.9)
