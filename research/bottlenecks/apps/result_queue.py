"""Requests hand their work to one thread, and wait for its result in a queue of their own."""
import os
import queue
import threading
import urllib.request
from flask import Flask
from known import FIXED

app = Flask(__name__)
jobs = queue.Queue()


def consume():
    while True:
        results = jobs.get()
        with urllib.request.urlopen(os.environ["OTHER"], timeout=30) as response:
            results.put(response.read())


for _ in range(16 if FIXED else 1):
    threading.Thread(target=consume, daemon=True).start()


@app.get("/")
def order():
    results = queue.Queue(1)
    jobs.put(results)
    return {"length": len(results.get(timeout=30))}
