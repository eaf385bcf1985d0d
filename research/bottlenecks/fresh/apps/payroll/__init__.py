"""Pay slips."""

from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI

from .slips import router


@asynccontextmanager
async def lifespan(app: FastAPI):
    to_thread.current_default_thread_limiter().total_tokens = 10
    yield


app = FastAPI(lifespan=lifespan)
app.include_router(router)
