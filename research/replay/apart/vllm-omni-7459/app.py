"""Draws images on request, and sends them as a file or inside of JSON."""

import base64
import io
import os
import random

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

FIXED = os.environ.get("FIXED") == "1"
SLICE = 64 * 1024
IMAGES = {seed: b"\x89PNG\r\n\x1a\n" + random.Random(seed).randbytes(96 * 1024) for seed in range(3)}
app = FastAPI()


class Wanted(BaseModel):
    prompt: str
    seed: int = 0
    response_format: str = "b64_json"


def draw(wanted: Wanted) -> bytes:
    return IMAGES[wanted.seed % len(IMAGES)]


async def slices(data: bytes):
    view = memoryview(data)
    for start in range(0, len(view), SLICE):
        yield view[start : start + SLICE]


def send_file(data: bytes):
    headers = {"Content-Length": str(len(data)), "Content-Disposition": "attachment; filename=image.png"}
    if FIXED:
        return StreamingResponse(slices(data), media_type="image/png", headers=headers)
    return StreamingResponse(io.BytesIO(data), media_type="image/png", headers=headers)  # CAUSE


@app.post("/v1/images/generations")
async def generate(wanted: Wanted):
    data = draw(wanted)
    if wanted.response_format == "file":
        return send_file(data)  # CAUSE
    return {"data": [{"b64_json": base64.b64encode(data[:4096]).decode()}]}


@app.get("/v1/models")
async def models():
    return {"data": [{"id": "painter", "object": "model"}]}
