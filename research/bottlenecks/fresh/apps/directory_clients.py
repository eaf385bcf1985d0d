"""A handful of bound connections to the directory."""

import http.client
import json
import queue
from contextlib import contextmanager
from urllib.parse import urlsplit


class DirectoryClient:
    def __init__(self, netloc):
        self.connection = http.client.HTTPConnection(netloc, timeout=30)

    def find(self, uid):
        self.connection.request("GET", f"/?uid={uid}")
        return json.loads(self.connection.getresponse().read())


class ClientPool:
    def __init__(self, url, size):
        netloc = urlsplit(url).netloc
        self.idle = queue.Queue()
        for _ in range(size):
            self.idle.put(DirectoryClient(netloc))

    @contextmanager
    def borrow(self):
        client = self.idle.get()
        try:
            yield client
        finally:
            self.idle.put(client)
