"""A shop: pydantic in and out, signed tokens, SQLite in a thread, a report that computes in the event loop."""
import sqlite3
import tempfile

import jwt
import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Response
from pydantic import BaseModel

from clocks import view, watch, watch_asgi, watch_sqlite

KEY = "a key of at least thirty-two bytes, for the tests"
FILE = tempfile.mkstemp(suffix=".sqlite")[1]
app = FastAPI()


class Product(BaseModel):
    id: int
    name: str
    price: float
    tags: list[str]


class Line(BaseModel):
    product: int
    amount: int


class Order(BaseModel):
    customer: str
    lines: list[Line]


PRODUCTS = [
    {"id": i, "name": f"product {i}", "price": i * 1.1, "tags": ["x", f"t{i % 9}"]} for i in range(300)
]
SALES = [(i * 7919 % 300, i % 31, i / 3) for i in range(25000)]

with sqlite3.connect(FILE) as made:
    made.execute("create table product (id integer primary key, name text, price real)")
    made.executemany(
        "insert into product values (?, ?, ?)", [(p["id"], p["name"], p["price"]) for p in PRODUCTS]
    )


def user(authorization: str = Header()):
    try:
        return jwt.decode(authorization.removeprefix("Bearer "), KEY, algorithms=["HS256"])["sub"]
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error


@app.get("/products", response_model=list[Product])
@view("GET /products")
def list_products():
    return PRODUCTS


@app.get("/products/{number}")
@view("GET /products/:id")
def show_product(number: int):
    return {"product": query(number)}


def query(number):
    with sqlite3.connect(FILE) as connection:
        for _ in range(6):
            rows = connection.execute(
                "select id, name, price from product where price > ? order by name", (number,)
            ).fetchall()
    return rows[0] if rows else None


@app.post("/orders")
@view("POST /orders")
async def make_order(order: Order, who: str = Depends(user)):
    return {"of": who, "amount": sum(line.amount for line in order.lines)}


@app.get("/report")
@view("GET /report")
async def report():
    return Response(orjson.dumps(add_up(SALES)), media_type="application/json")


def add_up(sales):
    sums = {}
    for product, day, price in sales:
        sums[f"{product}/{day}"] = sums.get(f"{product}/{day}", 0.0) + price
    return sums


@app.get("/ping")
@view("GET /ping")
async def ping():
    return {"pong": True}


TOKEN = jwt.encode({"sub": "ann"}, KEY, algorithm="HS256")
watch("fastapi_shop:add_up")
watch("orjson:dumps")
watch("jwt:decode")
watch_sqlite()
try:
    from loadflame_companion import wrap

    app = wrap(app)
except ImportError:
    pass
app = watch_asgi(app)
