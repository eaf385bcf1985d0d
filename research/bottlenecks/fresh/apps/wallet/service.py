import os
from contextlib import nullcontext

import requests
from gevent.lock import RLock
from requests.adapters import HTTPAdapter


class Issuer:
    """The bank that issued the cards."""

    def __init__(self, url):
        self.url = url
        self.session = requests.Session()
        self.session.mount("http://", HTTPAdapter(pool_maxsize=64))

    def ledger(self, card):
        return self.session.get(self.url, params={"card": card}, timeout=30).json()


class WalletService:
    def __init__(self, issuer, mutex):
        self.issuer = issuer
        self.mutex = mutex

    @classmethod
    def from_env(cls):
        mutex = nullcontext() if os.environ.get("FIXED") else RLock()
        return cls(Issuer(os.environ["OTHER"]), mutex)

    def balance(self, card):
        with self.mutex:
            ledger = self.issuer.ledger(card)
        return ledger["value"] * 100
