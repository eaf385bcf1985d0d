"""People of a register; a client sends many of them in one request."""

import os

from flask import Flask, jsonify, request
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

FIXED = os.environ.get("FIXED") == "1"
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "people"
    id: Mapped[int] = mapped_column(primary_key=True)
    firstname: Mapped[str]
    lastname: Mapped[str]
    town: Mapped[str | None]


engine = create_engine(os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:"))
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(Person(firstname=f"First {n}", lastname=f"Last {n}", town="Bonn") for n in range(50))
    session.commit()


def insert(documents):
    people = [Person(**document) for document in documents]
    with Session(engine, expire_on_commit=False) as session:
        for person in people:
            session.add(person)
            if not FIXED:
                session.commit()  # CAUSE
        session.commit()
        return [person.id for person in people]


@app.post("/people")
def create():
    return jsonify(created=insert(request.get_json()))


@app.get("/people/<int:number>")
def show(number):
    with Session(engine) as session:
        person = session.scalars(select(Person).where(Person.id == number)).one()
        return jsonify(id=person.id, firstname=person.firstname, lastname=person.lastname, town=person.town)
