"""Vouchers: a decorator lets only as many requests print as there are licences."""
import functools
import os
import threading

import urllib3
from flask import Flask

LICENCES = 16 if os.environ.get("FIXED") else 3

app = Flask(__name__)
printers = urllib3.PoolManager(maxsize=32)


def licensed(count):
    seats = threading.BoundedSemaphore(count)

    def decorate(view):
        @functools.wraps(view)
        def guarded(*args, **kwargs):
            with seats:
                return view(*args, **kwargs)

        return guarded

    return decorate


@app.get("/vouchers/<int:number>")
@licensed(LICENCES)
def show(number):
    printed = printers.request("GET", os.environ["OTHER"])
    return {"voucher": number, "printed": printed.json()["status"]}
