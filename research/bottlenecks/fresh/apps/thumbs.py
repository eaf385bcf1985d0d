"""Addresses of preview images, made by a render farm."""

import os
from contextlib import asynccontextmanager
from typing import Annotated

import aiohttp
from fastapi import Depends, FastAPI, Request

from bulkhead import bulkhead


@asynccontextmanager
async def lifespan(app: FastAPI):
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        app.state.farm = RenderFarm(session, os.environ["OTHER"])
        yield


class RenderFarm:
    def __init__(self, session: aiohttp.ClientSession, url: str):
        self.session = session
        self.url = url

    @bulkhead(limit=32 if os.environ.get("FIXED") else 2)
    async def render(self, image: str, width: int) -> int:
        async with self.session.get(self.url, params={"image": image, "w": width}) as response:
            response.raise_for_status()
            return (await response.json())["value"]


def get_farm(request: Request) -> RenderFarm:
    return request.app.state.farm


app = FastAPI(lifespan=lifespan)


@app.get("/thumbs/{image}")
async def thumb(image: str, farm: Annotated[RenderFarm, Depends(get_farm)], width: int = 200):
    version = await farm.render(image, width)
    return {"image": image, "url": f"/cdn/{image}-{width}.webp?v={version}"}
