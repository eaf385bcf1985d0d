"""Values for the filters of a list of benchmark runs."""

import os

from fastapi import Depends, FastAPI
from pydantic import BaseModel
from sqlalchemy import JSON, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

FIXED = os.environ.get("FIXED") == "1"
OPTIONS, TASKS = {f"o{n}": n / 7 for n in range(20)}, [f"t{n}" for n in range(40)]


class Contract(BaseModel):
    name: str
    model: str | None
    options: dict[str, float]


class Arguments(BaseModel):
    contract: Contract
    dataset: str | None
    tasks: list[str]


class Base(DeclarativeBase):
    type_annotation_map = {dict: JSON}


class Benchmark(Base):
    __tablename__ = "benchmarks"
    id: Mapped[int] = mapped_column(primary_key=True)
    org: Mapped[int] = mapped_column(index=True)
    name: Mapped[str]
    started_by: Mapped[str | None]
    arguments: Mapped[dict]


engine = create_engine(f"sqlite:///{os.environ['FOLDER']}/tracker.db")
app = FastAPI()
Base.metadata.create_all(engine)
with Session(engine) as filling:
    for n in range(250):
        contract = {"name": f"contract {n % 4}", "model": f"model {n % 6}", "options": OPTIONS}
        arguments = {"contract": contract, "dataset": None if n % 4 else "large", "tasks": TASKS}
        filling.add(Benchmark(org=n % 2, name=f"bench {n % 3}", started_by=f"user {n % 3}", arguments=arguments))
    filling.commit()


def db():
    with Session(engine) as session:
        yield session


def options_of(session, org):
    if not FIXED:
        benchmarks = session.scalars(select(Benchmark).where(Benchmark.org == org)).all()  # CAUSE
        parsed = [(benchmark, Arguments.model_validate(benchmark.arguments)) for benchmark in benchmarks]  # CAUSE
        return [(b.name, a.contract.name, a.contract.model, a.dataset, b.started_by) for b, a in parsed]
    contract, dataset = Benchmark.arguments["contract"], Benchmark.arguments["dataset"].as_string()
    fields = Benchmark.name, contract["name"].as_string(), contract["model"].as_string(), dataset, Benchmark.started_by
    return session.execute(select(*fields).where(Benchmark.org == org).distinct()).all()


@app.get("/benchmarks/filter-options")
def filter_options(org: int, session: Session = Depends(db)):
    names, contracts, models, datasets, people = map(set, zip(*options_of(session, org)))
    return {
        "names": sorted(names),
        "contracts": sorted(contracts),
        "models": sorted(model for model in models if model),
        "datasets": sorted(dataset or "default" for dataset in datasets),
        "people": sorted(person for person in people if person),
    }


@app.get("/benchmarks/{benchmark}")
def one(benchmark: int, session: Session = Depends(db)):
    return session.get(Benchmark, benchmark).arguments
