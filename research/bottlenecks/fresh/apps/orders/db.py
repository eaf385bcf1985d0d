import os
from collections.abc import AsyncIterator

from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

engine = create_async_engine(
    make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+asyncpg"),
    pool_size=24 if os.environ.get("FIXED") else 2,
    max_overflow=0,
)
Session = async_sessionmaker(engine, expire_on_commit=False)


async def get_session() -> AsyncIterator[AsyncSession]:
    async with Session() as session:
        yield session
