"""Citizens by name, from a register without a fitting index."""
import os
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

POOL_SIZE = 24 if os.environ.get("FIXED") else 2
SEARCH = "SELECT %s AS name, 42 AS district FROM (SELECT pg_sleep(0.04)) AS slow_scan"

pool = AsyncConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=POOL_SIZE,
    max_size=POOL_SIZE,
    timeout=60,
    open=False,
    kwargs={"row_factory": dict_row, "autocommit": True},
)


@asynccontextmanager
async def lifespan(_: FastAPI):
    async with pool:
        yield


app = FastAPI(lifespan=lifespan)


async def connection():
    async with pool.connection() as borrowed:
        yield borrowed


Database = Annotated[AsyncConnection, Depends(connection)]


@app.get("/citizens/{name}")
async def search(name: str, database: Database):
    cursor = await database.execute(SEARCH, [name])
    return {"matches": await cursor.fetchall()}
