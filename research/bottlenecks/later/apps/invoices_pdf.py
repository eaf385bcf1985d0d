"""Invoices: plain functions in FastAPI, and a limiter of anyio that somebody set to three threads."""
import os
import time
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI


@asynccontextmanager
async def lifespan(app):
    anyio.to_thread.current_default_thread_limiter().total_tokens = 40 if os.environ.get("FIXED") else 3
    yield


app = FastAPI(lifespan=lifespan)


def render(invoice):
    time.sleep(0.05)
    return f"invoice {invoice}"


@app.get("/invoices/{invoice}")
def invoice(invoice: int):
    return {"invoice": invoice, "text": render(invoice)}
