"""A scheduler's list of task instances, as pydantic models made of ORM rows."""

import os

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship

EAGER = os.environ.get("FIXED") == "1"
app = FastAPI()


class Base(DeclarativeBase):
    pass


class DagRun(Base):
    __tablename__ = "dag_run"
    id: Mapped[int] = mapped_column(primary_key=True)
    logical_date: Mapped[str]


class TaskInstance(Base):
    __tablename__ = "task_instance"
    id: Mapped[int] = mapped_column(primary_key=True)
    task: Mapped[str]
    state: Mapped[str]
    dag_run_id: Mapped[int] = mapped_column(ForeignKey("dag_run.id"))
    dag_run: Mapped[DagRun] = relationship()


class DagRunOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    logical_date: str


class TaskInstanceOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    task: str
    state: str
    dag_run: DagRunOut


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/scheduler.sqlite")
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all([DagRun(id=n, logical_date=f"2026-01-{1 + n % 28:02}") for n in range(400)])
    session.add_all([TaskInstance(id=n, task=f"task {n % 9}", state="success", dag_run_id=n) for n in range(400)])
    session.commit()


@app.get("/task-instances")
def list_task_instances() -> list[TaskInstanceOut]:
    query = select(TaskInstance).order_by(TaskInstance.id).limit(100)
    if EAGER:
        query = query.options(joinedload(TaskInstance.dag_run))
    with Session(engine) as session:
        rows = session.scalars(query).all()
        return [TaskInstanceOut.model_validate(row) for row in rows]  # CAUSE
