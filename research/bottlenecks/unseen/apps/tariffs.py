"""Tariffs of customers: the workers share a lock on a file while they calculate a bill."""
import contextlib
import fcntl
import os
import random
import tempfile
from decimal import Decimal

import falcon

LOCK_FILE = os.path.join(tempfile.gettempdir(), f"tariffs-{os.getuid()}.lock")
IS_FIXED = bool(os.environ.get("FIXED"))


@contextlib.contextmanager
def exclusive(customer):
    """A byte of the file is one customer; without a length the lock is on all of them."""
    with open(LOCK_FILE, "a") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 1 if IS_FIXED else 0, customer if IS_FIXED else 0)
        yield


def calculate(customer, hours=14000):
    total = Decimal(0)
    for hour in range(hours):
        used = Decimal((hour * 7 + customer) % 24) / 10
        price = Decimal("0.31") if 7 <= hour % 24 < 22 else Decimal("0.19")
        total += (used * price).quantize(Decimal("0.0001"))
    return total


class Bill:
    def on_get(self, req, resp):
        customer = random.randrange(500)
        with exclusive(customer):
            total = calculate(customer)
        resp.media = {"customer": customer, "total": str(total)}


app = falcon.App()
app.add_route("/bill", Bill())
