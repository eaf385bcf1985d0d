"""Mail API: messages of a thread, with types of the project's own for ids and JSON."""

import json
import os
import uuid

from flask import Flask, jsonify
from sqlalchemy import ForeignKey, Integer, String, Text, TypeDecorator, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

FIXED = os.environ.get("FIXED") == "1"
app = Flask(__name__)
engine = create_engine("sqlite:///" + os.path.join(os.environ["FOLDER"], "mail.sqlite"))


class JSON(TypeDecorator):
    impl = Text
    if FIXED:
        cache_ok = True

    def process_bind_param(self, value, dialect):
        return None if value is None else json.dumps(value)

    def process_result_value(self, value, dialect):
        return {} if value is None else json.loads(value)


class PublicId(TypeDecorator):
    impl = String(32)
    if FIXED:
        cache_ok = True

    def process_bind_param(self, value, dialect):
        return str(value)


class Base(DeclarativeBase):
    pass


class Thread(Base):
    __tablename__ = "thread"
    id = mapped_column(Integer, primary_key=True)
    public_id = mapped_column(PublicId, index=True)
    labels = mapped_column(JSON)


class Message(Base):
    __tablename__ = "message"
    id = mapped_column(Integer, primary_key=True)
    public_id = mapped_column(PublicId, index=True)
    thread_id = mapped_column(ForeignKey("thread.id"), index=True)
    sender = mapped_column(JSON)
    recipients = mapped_column(JSON)


Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(Thread(id=n, public_id=f"t{n}", labels={"inbox": True}) for n in range(50))
    for n in range(200):
        person = {"name": f"Person {n}", "id": uuid.uuid4().hex}
        session.add(Message(public_id=f"m{n}", thread_id=n % 50, sender=person, recipients=[person]))
    session.commit()


@app.get("/threads/<public_id>")
def thread(public_id):
    with Session(engine) as session:
        found = session.scalars(select(Thread).where(Thread.public_id == public_id)).one()  # CAUSE
        listed = select(Message).join(Thread, Thread.id == Message.thread_id).where(Thread.public_id == public_id)
        messages = session.scalars(listed.order_by(Message.id)).all()  # CAUSE
        senders = [{"id": message.public_id, "from": message.sender["name"]} for message in messages]
        return jsonify(labels=found.labels, messages=senders)


@app.get("/messages/<public_id>")
def message(public_id):
    with Session(engine) as session:
        found = session.scalars(select(Message).where(Message.public_id == public_id)).one()  # CAUSE
        return jsonify(id=found.public_id, sender=found.sender, to=found.recipients)
