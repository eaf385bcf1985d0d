"""One lock around 40 ms that could be outside of it."""
import threading
import time
from flask import Flask
from known import FIXED

app = Flask(__name__)
stock_lock = threading.Lock()


def reserve():
    if FIXED:
        time.sleep(0.04)
        with stock_lock:
            pass
    else:
        with stock_lock:
            time.sleep(0.04)


@app.get("/")
def order():
    reserve()
    return {"ok": True}
