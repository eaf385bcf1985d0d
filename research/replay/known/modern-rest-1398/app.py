"""Stock of a warehouse, with a description of its API that clients read."""

import os

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

FIXED = os.environ.get("FIXED") == "1"
app = FastAPI(openapi_url=None)
kept = {}


class Place(BaseModel):
    aisle: str = Field(max_length=4)
    shelf: int = Field(ge=0, le=40)


class Item(BaseModel):
    id: int
    name: str
    place: Place
    tags: list[str] = []


class Order(BaseModel):
    items: list[Item]
    person: str | None = None


def describe():
    return get_openapi(title="Warehouse", version="1", routes=app.routes)  # CAUSE


@app.get("/description")
def description():
    if FIXED:
        return JSONResponse(kept.setdefault("schema", kept.get("schema") or describe()))
    return JSONResponse(describe())  # CAUSE


@app.get("/items/{number}")
def item(number: int) -> Item:
    return Item(id=number, name=f"item {number}", place=Place(aisle="A", shelf=3))


@app.post("/items")
def add_item(item: Item) -> Item:
    return item


@app.post("/orders")
def add_order(order: Order) -> Order:
    return order


@app.put("/orders/{number}")
def change_order(number: int, order: Order) -> Order:
    return order
