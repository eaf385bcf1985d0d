"""Exchange rates of a central bank's interface."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

import httpx
from fastapi import FastAPI, HTTPException, Request


class RateSource:
    def __init__(self, client: httpx.AsyncClient):
        self.client = client

    async def rate(self, base: str, quote: str) -> Decimal:
        try:
            response = await self.client.get("/", params={"pair": base + quote})
            response.raise_for_status()
        except httpx.HTTPError as error:
            raise HTTPException(503, "no rates") from error
        return Decimal(response.json()["value"]) / 37


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with httpx.AsyncClient(base_url=os.environ["OTHER"], timeout=30) as client:
        app.state.rates = RateSource(client)
        yield


app = FastAPI(lifespan=lifespan)


@app.middleware("http")
async def no_store(request: Request, call_next):
    response = await call_next(request)
    response.headers["Cache-Control"] = "no-store"
    return response


@app.get("/convert/{base}/{quote}")
async def convert(request: Request, base: str, quote: str, amount: Decimal = Decimal(1)):
    rate = await request.app.state.rates.rate(base, quote)
    return {"from": base, "to": quote, "amount": f"{amount * rate:.2f}"}
