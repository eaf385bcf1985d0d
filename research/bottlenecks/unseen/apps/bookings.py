"""Bookings are confirmed by a hotel; someone once cut the threads of `def` endpoints to save memory."""
import contextlib
import json
import os
import urllib.request

import anyio.to_thread
from fastapi import FastAPI


@contextlib.asynccontextmanager
async def lifespan(_):
    anyio.to_thread.current_default_thread_limiter().total_tokens = 32 if os.environ.get("FIXED") else 4
    yield


app = FastAPI(lifespan=lifespan)


class Hotel:
    def __init__(self, url):
        self.url = url

    def confirm(self, booking):
        with urllib.request.urlopen(f"{self.url}?booking={booking}", timeout=20) as response:
            return json.load(response)["status"]


@app.get("/bookings/{booking}")
def confirm(booking: int):
    return {"booking": booking, "state": Hotel(os.environ["OTHER"]).confirm(booking)}
