"""What each remedy is for, on a route of its own; FIXED=<cause> is the fix that a person would write."""

import os
import ssl
import tempfile

import httpx
from flask import Flask, jsonify
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

FIXED = os.environ.get("FIXED", "")
OTHER = os.environ["OTHER"]
CONTEXT = ssl.create_default_context() if FIXED == "tls-context-per-request" else True
CLIENT = httpx.Client() if FIXED == "http-client-per-request" else None
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    items: Mapped[list["Item"]] = relationship(order_by="Item.id")


class Item(Base):
    __tablename__ = "item"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), index=True)


engine = create_engine("sqlite:///%s/orders.sqlite" % tempfile.mkdtemp(dir=os.environ["FOLDER"]))
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all([Order(id=n) for n in range(20)])
    session.add_all([Item(id=n, order_id=n // 3) for n in range(60)])
    session.commit()
engine.dispose()


@app.get("/call")
def call_other():
    """The client of each request makes a TLS context, as most do."""
    response = CLIENT.get(OTHER) if CLIENT else httpx.get(OTHER, verify=CONTEXT)
    return jsonify(response.json())


@app.get("/orders")
def list_orders():
    query = select(Order).order_by(Order.id)
    if FIXED == "lazy-loading":
        query = query.options(selectinload(Order.items))
    with Session(engine) as session:
        return jsonify([[item.id for item in order.items] for order in session.scalars(query)])


@app.get("/")
@app.get("/light")
def light():
    return jsonify("light")
