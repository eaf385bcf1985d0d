"""Requests hand their work to one thread through a queue, and wait for it."""
import queue
import threading
import time
from concurrent.futures import Future
from flask import Flask
from known import FIXED

app = Flask(__name__)
jobs = queue.Queue()


def consume():
    while True:
        done = jobs.get()
        time.sleep(0.02)
        done.set_result(True)


for _ in range(16 if FIXED else 1):
    threading.Thread(target=consume, daemon=True).start()


@app.get("/")
def order():
    done = Future()
    jobs.put(done)
    return {"ok": done.result()}
