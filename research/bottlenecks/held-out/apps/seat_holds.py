"""Holds seats of a concert hall while a visitor pays."""
import asyncio
import os
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, Request

CHECK_FIRST = bool(os.environ.get("FIXED"))

holds: dict[int, int] = {}
hall_lock = asyncio.Lock()


@asynccontextmanager
async def lifespan(app: FastAPI):
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=os.environ["OTHER"], limits=limits) as client:
        app.state.box_office = client
        yield


app = FastAPI(lifespan=lifespan)


async def check_with_box_office(client: httpx.AsyncClient, seat: int) -> bool:
    response = await client.get(f"/seats/{seat}")
    return response.json()["status"] == "ok"


def take(seat: int, free: bool) -> int:
    if free:
        holds[seat] = holds.get(seat, 0) + 1
    return holds.get(seat, 0)


@app.get("/seats/{seat}/hold")
async def hold_seat(seat: int, request: Request):
    client = request.app.state.box_office
    if CHECK_FIRST:
        free = await check_with_box_office(client, seat)
        async with hall_lock:
            return {"seat": seat, "holds": take(seat, free)}
    async with hall_lock:
        free = await check_with_box_office(client, seat)
        return {"seat": seat, "holds": take(seat, free)}
