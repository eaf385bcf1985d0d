"""Two clients in a queue, which requests take and put back."""
import http.client
import os
import queue
from urllib.parse import urlsplit
from flask import Flask
from known import FIXED

app = Flask(__name__)
clients = queue.LifoQueue()
for _ in range(16 if FIXED else 2):
    clients.put(http.client.HTTPConnection(urlsplit(os.environ["OTHER"]).netloc, timeout=30))


def fetch():
    client = clients.get(timeout=30)
    try:
        client.request("GET", "/")
        return client.getresponse().read()
    finally:
        clients.put(client)


@app.get("/")
def show():
    return {"length": len(fetch())}
