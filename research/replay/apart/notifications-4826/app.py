"""Lists the templates of a service, without their content."""

import os
from datetime import datetime

from flask import Flask, jsonify
from sqlalchemy import JSON, ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, lazyload, load_only, mapped_column, relationship

FIXED = os.environ.get("FIXED") == "1"


class Base(DeclarativeBase):
    type_annotation_map = {dict: JSON}


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    email: Mapped[str]
    permissions: Mapped[dict]
    logged_in_at: Mapped[datetime]


class Template(Base):
    __tablename__ = "templates"
    id: Mapped[int] = mapped_column(primary_key=True)
    service_id: Mapped[int] = mapped_column(index=True)
    name: Mapped[str]
    template_type: Mapped[str]
    archived: Mapped[bool]
    folder: Mapped[str]
    subject: Mapped[str]
    content: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    reviewed_at: Mapped[datetime]
    process_type: Mapped[str]
    letter: Mapped[dict]
    reply_to: Mapped[str]
    created_by_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    created_by: Mapped[User] = relationship(lazy="joined")


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/notify.db")
app = Flask(__name__)
Base.metadata.create_all(engine)
with Session(engine) as session:
    now = datetime(2026, 4, 17, 12)
    rest = {"subject": "About your application", "content": "Dear ((name)), " * 150, "process_type": "normal"}
    rest |= {"letter": {"pages": 2, "languages": ["en", "cy"], "attachment": None}}
    rest |= {"reply_to": "team@example.org", "created_by_id": 1, "service_id": 1, "archived": False}
    rest |= {"created_at": now, "updated_at": now, "reviewed_at": now, "template_type": "email"}
    session.add(User(id=1, name="Sam", email="sam@example.org", permissions={"send": True}, logged_in_at=now))
    session.add_all(Template(name=f"Template {n:03}", folder=f"folder {n % 9}", **rest) for n in range(150))
    session.commit()


def templates_of(session, service):
    wanted = (
        select(Template).where(Template.service_id == service, Template.archived.is_(False)).order_by(Template.name)
    )
    if not FIXED:
        return session.scalars(wanted).all()  # CAUSE
    fields = load_only(Template.name, Template.template_type, Template.folder, raiseload=True)
    return session.scalars(wanted.options(fields, lazyload(Template.created_by))).all()


@app.get("/service/<int:service>/template")
def templates(service):
    with Session(engine) as session:
        listed = templates_of(session, service)
        rows = [{"id": t.id, "name": t.name, "type": t.template_type, "folder": t.folder} for t in listed]
    return jsonify(data=rows)


@app.get("/_status")
def status():
    return jsonify(status="ok")
