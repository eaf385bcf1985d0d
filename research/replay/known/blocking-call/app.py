"""Models that a server for images can install: half of the requests only ask for its queue."""

import asyncio
import os

import requests
from fastapi import FastAPI

REGISTRY = os.environ["OTHER"]
IN_THREAD = os.environ.get("FIXED") == "1"
QUEUE = [{"item": number, "status": "pending"} for number in range(20)]
session = requests.Session()
app = FastAPI()


class ModelInstaller:
    """Reads the metadata of models from a registry."""

    def fetch_metadata(self, name):
        response = session.get(f"{REGISTRY}/models/{name}", timeout=5)  # CAUSE
        response.raise_for_status()
        return response.json()

    def describe(self, name):
        metadata = self.fetch_metadata(name)
        return {"key": name, "installed": False, **metadata}


installer = ModelInstaller()


@app.get("/models/{name}")
async def show_model(name: str):
    if IN_THREAD:
        return await asyncio.to_thread(installer.describe, name)
    return installer.describe(name)  # CAUSE


@app.get("/queue")
async def show_queue():
    return QUEUE
