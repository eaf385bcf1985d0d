import os

from sqlalchemy import create_engine, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker


class Base(DeclarativeBase):
    pass


class Employee(Base):
    __tablename__ = "employees"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    salary: Mapped[int]


engine = create_engine(
    make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+psycopg"),
    pool_size=10 if os.environ.get("FIXED") else 2,
    max_overflow=0,
)
SessionLocal = sessionmaker(engine)
Base.metadata.create_all(engine)
with SessionLocal.begin() as first:
    first.merge(Employee(id=1, name="Ada", salary=5200))


def load_employee(session: Session, employee_id: int) -> Employee | None:
    # the totals of the year take about this long
    session.execute(select(func.pg_sleep(0.03)))
    return session.get(Employee, employee_id)
