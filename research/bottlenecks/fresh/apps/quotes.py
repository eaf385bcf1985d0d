"""Insurance quotes from several insurers."""

import asyncio
import os
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI
from pydantic import BaseModel

INSURERS = ("north", "harbour")


class Quote(BaseModel):
    insurer: str
    premium: int


class Broker:
    def __init__(self, client: httpx.AsyncClient):
        self.client = client

    async def ask(self, insurer: str, plate: str) -> Quote:
        response = await self.client.get("/", params={"insurer": insurer, "plate": plate})
        return Quote(insurer=insurer, premium=response.json()["value"])

    async def ask_all(self, plate: str) -> list[Quote]:
        return await asyncio.gather(*(self.ask(insurer, plate) for insurer in INSURERS))


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with httpx.AsyncClient(base_url=os.environ["OTHER"], timeout=30) as client:
        app.state.broker = Broker(client)
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/quotes/{plate}")
async def quotes(plate: str) -> list[Quote]:
    return await app.state.broker.ask_all(plate)
