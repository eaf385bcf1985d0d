"""Routes of vans, calculated by another service."""
import os
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, Request
from pydantic import BaseModel


class Route(BaseModel):
    van: int
    stops: int
    km: float


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with httpx.AsyncClient(
        base_url=os.environ["OTHER"],
        limits=httpx.Limits(max_connections=200, max_keepalive_connections=200),
        timeout=httpx.Timeout(60),
    ) as client:
        app.state.solver = client
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/vans/{van}/route")
async def plan(van: int, request: Request, stops: int = 12) -> Route:
    solver: httpx.AsyncClient = request.app.state.solver
    response = await solver.get("/solve", params={"van": van, "stops": stops})
    response.raise_for_status()
    return Route(van=van, stops=stops, km=stops * response.json()["value"] / 10)
