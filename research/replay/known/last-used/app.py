"""A gateway whose clients send an API key."""

import os
from datetime import datetime, timedelta, timezone

from fastapi import Depends, FastAPI, Header, HTTPException
from sqlalchemy import DateTime, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

WRITE_AFTER = timedelta(seconds=60) if os.environ.get("FIXED") == "1" else timedelta(0)
app = FastAPI()


class Base(DeclarativeBase):
    pass


class ApiKey(Base):
    __tablename__ = "api_keys"
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    last_used_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


engine = create_engine(os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:"))
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all([ApiKey(id=number, key=f"key-{number}") for number in range(50)])
    session.commit()


def open_session():
    with Session(engine, expire_on_commit=False) as session:
        yield session


def find_key(x_api_key: str = Header(), session: Session = Depends(open_session)):
    found = session.scalar(select(ApiKey).where(ApiKey.key == x_api_key))
    if found is None:
        raise HTTPException(401)
    now = datetime.now(timezone.utc)
    if found.last_used_at is None or now - found.last_used_at >= WRITE_AFTER:
        found.last_used_at = now
        session.commit()  # CAUSE
    return found


@app.get("/models")
def list_models(key: ApiKey = Depends(find_key)):
    return {"key": key.id, "models": ["small", "medium", "large"]}
