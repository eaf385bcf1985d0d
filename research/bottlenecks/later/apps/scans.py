"""Scans of uploads: a blocking scanner in asyncio.to_thread, whose executor has few threads."""
import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI


@asynccontextmanager
async def lifespan(app):
    if os.environ.get("FIXED"):
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(32))
    yield


app = FastAPI(lifespan=lifespan)


def scan(upload):
    time.sleep(0.08)
    return upload % 7 != 0


@app.get("/uploads/{upload}")
async def check(upload: int):
    return {"upload": upload, "clean": await asyncio.to_thread(scan, upload)}
