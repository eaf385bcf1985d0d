"""`def` endpoints of FastAPI: anyio's thread limiter, here of four threads."""
import time
from contextlib import asynccontextmanager
import anyio.to_thread
from fastapi import FastAPI
from known import FIXED


@asynccontextmanager
async def lifespan(_app):
    anyio.to_thread.current_default_thread_limiter().total_tokens = 40 if FIXED else 4
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/")
def wait():
    time.sleep(0.05)
    return {"ok": True}
