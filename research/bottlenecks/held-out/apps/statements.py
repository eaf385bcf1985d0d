"""Account statements from a slow core banking system."""
import os
from contextlib import asynccontextmanager
from datetime import date

import httpx
from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI

core_banking = httpx.Client(
    base_url=os.environ["OTHER"],
    limits=httpx.Limits(max_connections=200, max_keepalive_connections=200),
    timeout=30,
)


@asynccontextmanager
async def lifespan(_: FastAPI):
    if os.environ.get("FIXED"):
        current_default_thread_limiter().total_tokens = 120
    yield
    core_banking.close()


app = FastAPI(lifespan=lifespan)


def period(year: int = 2026, month: int = 1) -> tuple[date, date]:
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following


@app.get("/accounts/{account}/statement")
def statement(account: int, dates: tuple[date, date] = Depends(period)):
    first, last = dates
    response = core_banking.get(
        f"/accounts/{account}/balance", params={"from": str(first), "to": str(last)}
    )
    return {"account": account, "from": first, "to": last, "balance": response.json()["value"]}
