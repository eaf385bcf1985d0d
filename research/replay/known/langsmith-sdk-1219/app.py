"""Takes runs of a model and says with which version it took them."""

import functools
import os
from importlib import metadata

from fastapi import FastAPI

FIXED = os.environ.get("FIXED") == "1"
KEPT = {}
app = FastAPI()


def read_version():
    return metadata.version("fastapi")  # CAUSE


version = functools.cache(read_version) if FIXED else read_version


def info():
    return {"sdk": "runs", "version": version(), "platform": "linux"}


@app.post("/runs/{number}")
async def take_run(number: int, run: dict):
    KEPT[number] = run
    return {"id": number, "by": info()}


@app.get("/runs/{number}")
async def show_run(number: int):
    return {"id": number, "run": KEPT.get(number), "by": info()}
