"""The same bookshop in FastAPI with SQLAlchemy's asyncio, asyncpg below; marks as in flask_sqlalchemy.py."""
import os

import httpx
from fastapi import FastAPI
from loadflame_companion import wrap
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

import clock
from models import Author, Book

URL = os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+asyncpg:")
engine = create_async_engine(URL, pool_size=8)
small = create_async_engine(URL, pool_size=1, max_overflow=0)
clock.watch_engine(engine.sync_engine)
clock.watch_engine(small.sync_engine)
app = FastAPI()


@app.get("/none")
async def none():
    return {"books": 0}


@app.get("/one")
async def one():
    async with AsyncSession(engine) as session:
        return {"title": (await session.get(Book, 7)).title}  # q:one 1 book


@app.get("/books")
async def books():
    async with AsyncSession(engine) as session:
        rows = (await session.scalars(select(Book).order_by(Book.id).limit(20))).all()  # q:books 1 book
        return {"authors": [(await book.awaitable_attrs.author).name for book in rows]}  # q:books 20 author


@app.get("/again")
async def again():
    async with AsyncSession(engine) as session:
        return {"counts": [await count(session) for _ in range(5)]}


async def count(session):
    return await session.scalar(select(func.count()).where(Book.price == 3))  # q:again 5 book


@app.get("/slow")
async def slow():
    async with AsyncSession(engine) as session:
        return {"slept": str(await session.scalar(text("SELECT pg_sleep(0.2)")))}  # q:slow 1 pg_sleep


@app.get("/pool")
async def pool():
    async with small.connect() as connection:
        return {"slept": str(await connection.scalar(text("SELECT pg_sleep(0.06)")))}  # q:pool 1 pg_sleep


@app.get("/open")
async def open_transaction():
    async with AsyncSession(engine) as session, httpx.AsyncClient() as client:
        author = await session.get(Author, 3)  # q:open 1 author
        status = (await client.get(os.environ["OTHER"])).status_code  # q:open 1 http
        return {"name": author.name, "status": status}


@app.get("/many")
async def many():
    async with AsyncSession(engine) as session:
        rows = (await session.execute(select(Book.id, Book.price))).all()  # q:many 1 book
        return {"cheapest": sorted(rows, key=lambda row: row.price)[0].id}


app = wrap(app)
