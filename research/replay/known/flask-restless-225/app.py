"""A REST interface over measurements, in pages."""

import math
import os

from flask import Flask, jsonify, request
from sqlalchemy import Float, Integer, String, create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

FIXED = os.environ.get("FIXED") == "1"
engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/series.db")
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class Measurement(Base):
    __tablename__ = "measurement"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    channel: Mapped[str] = mapped_column(String(20))
    first: Mapped[float] = mapped_column(Float)
    second: Mapped[float] = mapped_column(Float)

    def to_dict(self):
        return {"id": self.id, "channel": self.channel, "first": self.first, "second": self.second}


Base.metadata.create_all(engine)
with Session(engine) as setup:
    setup.add_all(Measurement(channel=f"c {n % 9}", first=n / 3, second=n / 7) for n in range(3000))
    setup.commit()


def paginated(session, page, size):
    found = select(Measurement).order_by(Measurement.id)
    if FIXED:
        number = session.scalar(select(func.count()).select_from(Measurement))
        return number, session.scalars(found.offset((page - 1) * size).limit(size)).all()
    instances = session.scalars(found).all()  # CAUSE
    return len(instances), instances[(page - 1) * size : page * size]  # CAUSE


@app.get("/api/measurements")
def measurements():
    page = request.args.get("page", 1, int)
    with Session(engine) as session:
        number, rows = paginated(session, page, 10)
        return jsonify(
            num_results=number,
            page=page,
            total_pages=math.ceil(number / 10),
            objects=[row.to_dict() for row in rows],
        )


@app.get("/api/measurements/<int:id>")
def measurement(id):
    with Session(engine) as session:
        return jsonify(session.get(Measurement, id).to_dict())
