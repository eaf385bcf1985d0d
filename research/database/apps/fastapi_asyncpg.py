"""The same bookshop in FastAPI with asyncpg alone; marks as in flask_sqlalchemy.py."""
import os
from contextlib import asynccontextmanager

import httpx
from asyncpg import create_pool
from fastapi import FastAPI
from loadflame_companion import wrap

import clock

clock.watch_asyncpg()
URL = os.environ["DATABASE_URL"]


@asynccontextmanager
async def lifespan(app):
    async with create_pool(URL, min_size=2, max_size=8) as app.state.pool, create_pool(URL, min_size=1, max_size=1) as app.state.small:
        yield


api = FastAPI(lifespan=lifespan)


@api.get("/none")
async def none():
    return {"books": 0}


@api.get("/one")
async def one():
    async with api.state.pool.acquire() as connection:
        return {"title": await connection.fetchval("SELECT title FROM book WHERE id = $1", 7)}  # q:one 1 book


@api.get("/books")
async def books():
    async with api.state.pool.acquire() as connection:
        rows = await connection.fetch("SELECT id, author_id FROM book ORDER BY id LIMIT 20")  # q:books 1 book
        return {"authors": [await find_author(connection, row["author_id"]) for row in rows]}


async def find_author(connection, key):
    row = await connection.fetchrow("SELECT * FROM author WHERE id = $1", key)  # q:books 20 author
    return row["name"]


@api.get("/again")
async def again():
    return {"counts": [await api.state.pool.fetchval("SELECT count(*) FROM book WHERE price = 3") for _ in range(5)]}  # q:again 5 book


@api.get("/slow")
async def slow():
    return {"slept": str(await api.state.pool.fetchval("SELECT pg_sleep(0.2)"))}  # q:slow 1 pg_sleep


@api.get("/pool")
async def pool():
    return {"slept": str(await api.state.small.fetchval("SELECT pg_sleep(0.06)"))}  # q:pool 1 pg_sleep


@api.get("/open")
async def open_transaction():
    async with api.state.pool.acquire() as connection, httpx.AsyncClient() as client:
        async with connection.transaction():
            name = await connection.fetchval("SELECT name FROM author WHERE id = $1", 3)  # q:open 1 author
            status = (await client.get(os.environ["OTHER"])).status_code  # q:open 1 http
    return {"name": name, "status": status}


@api.get("/many")
async def many():
    async with api.state.pool.acquire() as connection:
        rows = await connection.fetch("SELECT id, price FROM book")  # q:many 1 book
        return {"cheapest": min(rows, key=lambda row: row["price"])["id"]}


app = wrap(api)
