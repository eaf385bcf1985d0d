"""Court decisions, in pages."""

import os
import time

from flask import Flask, jsonify, request
from sqlalchemy import String, create_engine, func, insert, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

COUNT_SECONDS = 60 if os.environ.get("FIXED") == "1" else 0
SIZE = 20
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class Case(Base):
    __tablename__ = "cases"
    id: Mapped[int] = mapped_column(primary_key=True)
    court: Mapped[str] = mapped_column(String(40))
    title: Mapped[str] = mapped_column(String(200))
    private: Mapped[bool]


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/cases.sqlite")
Base.metadata.create_all(engine)
with engine.begin() as setup:
    rows = [
        {"court": f"court {n % 50}", "title": f"decision {n} " + "x" * 80, "private": n % 9 == 0}
        for n in range(60_000)
    ]
    setup.execute(insert(Case), rows)


class Paginator:
    """One page of a query, and the number of all its rows."""

    def __init__(self):
        self.counted = None

    def count(self, session, query):
        if self.counted and time.monotonic() < self.counted[0]:
            return self.counted[1]
        total = session.scalar(select(func.count()).select_from(query.subquery()))  # CAUSE
        self.counted = (time.monotonic() + COUNT_SECONDS, total)
        return total

    def page(self, session, query, number):
        rows = session.scalars(query.order_by(Case.id).limit(SIZE).offset(SIZE * (number - 1)))
        return {"count": self.count(session, query), "results": [{"id": row.id, "title": row.title} for row in rows]}


paginator = Paginator()


@app.get("/cases")
def list_cases():
    with Session(engine) as session:
        query = select(Case).where(Case.private.is_(False))
        return jsonify(paginator.page(session, query, request.args.get("page", 1, int)))
