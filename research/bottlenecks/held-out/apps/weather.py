"""Joins the current weather and the warnings of a place."""
import asyncio
import os
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

MAX_CONNECTIONS = 64 if os.environ.get("FIXED") else 3

client = httpx.AsyncClient(
    base_url=os.environ["OTHER"],
    limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS),
    timeout=httpx.Timeout(10, pool=60),
)


class Weather(BaseModel):
    place: str
    celsius: float
    warnings: list[str]


@asynccontextmanager
async def lifespan(_: FastAPI):
    yield
    await client.aclose()


app = FastAPI(lifespan=lifespan)


async def fetch(path: str) -> dict:
    response = await client.get(path)
    if response.is_error:
        raise HTTPException(502, f"{path}: {response.status_code}")
    return response.json()


@app.get("/weather/{place}")
async def weather(place: str) -> Weather:
    now, warnings = await asyncio.gather(fetch(f"/now/{place}"), fetch(f"/warnings/{place}"))
    return Weather(
        place=place,
        celsius=now["value"] / 2,
        warnings=[] if warnings["status"] == "ok" else [warnings["status"]],
    )
