import os
import threading
from contextlib import nullcontext

import requests
from requests.adapters import HTTPAdapter


class NumberRegister:
    """Hands out numbers without gaps."""

    def __init__(self):
        self.session = requests.Session()
        self.session.mount("http://", HTTPAdapter(pool_maxsize=16))
        self.order = nullcontext() if os.environ.get("FIXED") else threading.Lock()

    def next(self):
        with self.order:
            return self.session.post(os.environ["OTHER"], timeout=30).json()["value"]
