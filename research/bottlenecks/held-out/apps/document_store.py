"""Hands out documents from an archive with a blocking client."""
import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import requests
from fastapi import FastAPI, HTTPException

ARCHIVE = os.environ["OTHER"]
ARCHIVE_THREADS = 24 if os.environ.get("FIXED") else 2

executor = ThreadPoolExecutor(max_workers=ARCHIVE_THREADS, thread_name_prefix="archive")


@asynccontextmanager
async def lifespan(_: FastAPI):
    yield
    executor.shutdown(cancel_futures=True)


app = FastAPI(lifespan=lifespan)


def download(document: int) -> dict:
    response = requests.get(f"{ARCHIVE}documents/{document}", timeout=10)
    response.raise_for_status()
    return response.json()


@app.get("/documents/{document}")
async def show(document: int):
    loop = asyncio.get_running_loop()
    try:
        found = await loop.run_in_executor(executor, download, document)
    except requests.RequestException as error:
        raise HTTPException(502, "archive is not available") from error
    return {"id": document, "pages": found["value"]}
