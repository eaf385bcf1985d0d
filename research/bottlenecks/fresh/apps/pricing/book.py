import os

from .rwlock import ReadWriteLock

BASE = {"A1": 19.90, "B2": 5.50}


class PriceBook:
    def __init__(self, campaigns):
        self.campaigns = campaigns
        self.lock = ReadWriteLock()
        self.access = self.lock.reading if os.environ.get("FIXED") else self.lock.writing

    def quote(self, sku):
        with self.access():
            base = BASE.get(sku, 10.0)
            return round(base * (1 - self.campaigns.discount(sku)), 2)
