"""A list of images with their metadata, compressed on the way out."""

import hashlib
import json
import os

from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware

app = FastAPI()
LEVEL = 1 if os.environ.get("FIXED") == "1" else 9


def describe(number):
    """Metadata as a generator of images writes it: half words, half noise."""
    seed = hashlib.sha256(str(number).encode()).hexdigest()
    return {
        "image_name": f"{seed[:8]}.png",
        "positive_prompt": f"a {seed[9:12]} landscape with {number % 11} mountains, soft light",
        "model": {"key": seed[:32], "name": "diffusion", "base": "xl"},
        "steps": 20 + number % 30,
        "seed": int(seed[:8], 16),
    }


PAGES = [json.dumps([describe(number) for number in range(page, page + 3000)]) for page in (0, 3000)]
app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=LEVEL)  # CAUSE


@app.get("/images")
async def list_images(page: int = 0):
    return Response(PAGES[page % len(PAGES)], media_type="application/json")
