"""An index of data files: their addresses, hashes and owners."""

import os

from flask import Flask, jsonify, request
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship

FIXED = os.environ.get("FIXED") == "1"


class Base(DeclarativeBase):
    pass


class Record(Base):
    __tablename__ = "index_record"
    did: Mapped[str] = mapped_column(primary_key=True)
    size: Mapped[int]
    urls: Mapped[list["Address"]] = relationship()
    hashes: Mapped[list["Hash"]] = relationship()
    owners: Mapped[list["Owner"]] = relationship()

    def to_document(self):
        return {
            "did": self.did,
            "size": self.size,
            "urls": [address.url for address in self.urls],  # CAUSE
            "hashes": {one.kind: one.value for one in self.hashes},  # CAUSE
            "acl": [owner.name for owner in self.owners],  # CAUSE
        }


class Address(Base):
    __tablename__ = "index_record_url"
    did: Mapped[str] = mapped_column(ForeignKey("index_record.did"), primary_key=True)
    url: Mapped[str] = mapped_column(primary_key=True)


class Hash(Base):
    __tablename__ = "index_record_hash"
    did: Mapped[str] = mapped_column(ForeignKey("index_record.did"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Owner(Base):
    __tablename__ = "index_record_acl"
    did: Mapped[str] = mapped_column(ForeignKey("index_record.did"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/index.db")
app = Flask(__name__)
Base.metadata.create_all(engine)
with Session(engine) as filling:
    for n in range(200):
        did = f"dg.1234/{n:05}"
        urls, hashes = [Address(url=f"s3://bucket/{n}")], [Hash(kind="md5", value=f"{n:032x}")]
        filling.add(Record(did=did, size=n * 7, urls=urls, hashes=hashes, owners=[Owner(name=f"team{n % 5}")]))
    filling.commit()


@app.get("/index")
def index():
    start, limit = request.args.get("start", ""), request.args.get("limit", 30, type=int)
    query = select(Record).where(Record.did > start).order_by(Record.did).limit(limit)
    if FIXED:
        query = query.options(joinedload(Record.urls), joinedload(Record.hashes), joinedload(Record.owners))
    with Session(engine) as session:
        return jsonify(records=[record.to_document() for record in session.scalars(query).unique()])  # CAUSE


@app.get("/index/<path:did>")
def one(did):
    with Session(engine) as session:
        return jsonify(size=session.get(Record, did).size)
