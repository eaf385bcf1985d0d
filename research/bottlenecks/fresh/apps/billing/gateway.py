"""Client of the payment provider, shared with the batch jobs."""

import os

import requests
from requests.adapters import HTTPAdapter


class PaymentGateway:
    def __init__(self, url: str = os.environ["OTHER"]):
        self.url = url
        self.session = requests.Session()
        self.session.mount("http://", HTTPAdapter(pool_maxsize=32))

    def status(self, payment: str) -> dict:
        response = self.session.get(self.url, params={"payment": payment}, timeout=10)
        response.raise_for_status()
        return response.json()
