"""Versions of a project's documentation: a sync that writes them, and their list."""

import os

from flask import Flask, jsonify, request
from sqlalchemy import String, create_engine, delete, event, insert, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

FIXED = os.environ.get("FIXED") == "1"
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class Version(Base):
    __tablename__ = "versions"
    id: Mapped[int] = mapped_column(primary_key=True)
    project: Mapped[str] = mapped_column(String(40), index=True)
    name: Mapped[str] = mapped_column(String(80))
    kind: Mapped[str] = mapped_column(String(10))


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/versions.sqlite", connect_args={"timeout": 30})


@event.listens_for(engine, "connect")
def keep_journal_in_memory(connection, _record):
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA synchronous = OFF")


Base.metadata.create_all(engine)


def create(session, project, names):
    if FIXED:
        session.execute(insert(Version), [{"project": project, "name": name, "kind": "tag"} for name in names])
        return
    for name in names:
        session.add(Version(project=project, name=name, kind="tag"))
        session.flush()  # CAUSE


@app.post("/projects/<project>/sync")
def sync(project):
    with Session(engine) as session:
        session.execute(delete(Version).where(Version.project == project))
        create(session, project, request.get_json()["tags"])
        session.commit()
    return jsonify(synced=True)


@app.get("/projects/<project>")
def versions(project):
    with Session(engine) as session:
        names = session.scalars(select(Version.name).where(Version.project == project).limit(5))
        return jsonify(versions=list(names))
