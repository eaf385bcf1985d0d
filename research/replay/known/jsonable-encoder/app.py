"""Runs of jobs, as a control plane lists them for its dashboard."""

import os
from datetime import datetime, timedelta, timezone
from uuid import UUID

from fastapi import FastAPI, Response
from pydantic import BaseModel, TypeAdapter

PLAIN = os.environ.get("FIXED") == "1"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
app = FastAPI()


class Resources(BaseModel):
    cpus: int
    memory_mib: int
    spot: bool


class Submission(BaseModel):
    id: UUID
    submitted_at: datetime
    resources: Resources
    exit_status: int | None


class Run(BaseModel):
    id: UUID
    name: str
    submissions: list[Submission]


def make_submission(number):
    resources = Resources(cpus=2 + number % 6, memory_mib=1024 * (1 + number % 8), spot=number % 2 == 0)
    return Submission(id=UUID(int=number), submitted_at=START + timedelta(hours=number), resources=resources, exit_status=0)


RUNS = [
    Run(id=UUID(int=number), name=f"train-{number}", submissions=[make_submission(number + at) for at in range(4)])
    for number in range(150)
]
adapter = TypeAdapter(list[Run])


def list_latest():
    return sorted(RUNS, key=lambda run: run.submissions[-1].submitted_at, reverse=True)


if PLAIN:

    @app.get("/runs")
    def list_runs():
        return Response(adapter.dump_json(list_latest()), media_type="application/json")

else:

    @app.get("/runs")
    def list_runs():
        return list_latest()  # CAUSE
