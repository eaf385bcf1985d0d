"""A bookshop in Flask with SQLAlchemy. `# q:books 20 author`: each GET /books executes a statement on the table here 20 times."""
import os

import httpx
from flask import Flask
from sqlalchemy import create_engine, func, select, text
from sqlalchemy.orm import Session

import clock
from models import Author, Book

URL = os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:")
engine = clock.watch_engine(create_engine(URL, pool_size=8))
small = clock.watch_engine(create_engine(URL, pool_size=1, max_overflow=0))
app = Flask(__name__)


@app.get("/none")
def none():
    return {"books": 0}


@app.get("/one")
def one():
    with Session(engine) as session:
        return {"title": session.get(Book, 7).title}  # q:one 1 book


@app.get("/books")
def books():
    with Session(engine) as session:
        rows = session.scalars(select(Book).order_by(Book.id).limit(20)).all()  # q:books 1 book
        return {"authors": [book.author.name for book in rows]}  # q:books 20 author


@app.get("/again")
def again():
    with Session(engine) as session:
        return {"counts": [count(session) for _ in range(5)]}


def count(session):
    return session.scalar(select(func.count()).where(Book.price == 3))  # q:again 5 book


@app.get("/slow")
def slow():
    with Session(engine) as session:
        return {"slept": str(session.scalar(text("SELECT pg_sleep(0.2)")))}  # q:slow 1 pg_sleep


@app.get("/pool")
def pool():
    with small.connect() as connection:
        return {"slept": str(connection.scalar(text("SELECT pg_sleep(0.12)")))}  # q:pool 1 pg_sleep


@app.get("/open")
def open_transaction():
    with Session(engine) as session:
        author = session.get(Author, 3)  # q:open 1 author
        status = httpx.get(os.environ["OTHER"]).status_code  # q:open 1 http
        return {"name": author.name, "status": status}


@app.get("/many")
def many():
    with Session(engine) as session:
        rows = session.execute(select(Book.id, Book.price)).all()  # q:many 1 book
        return {"cheapest": sorted(rows, key=lambda row: row.price)[0].id}
