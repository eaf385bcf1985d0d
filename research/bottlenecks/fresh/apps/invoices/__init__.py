"""Invoices, with the status from the tax office."""

from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI

from .api import router
from .settings import settings


@asynccontextmanager
async def lifespan(app: FastAPI):
    anyio.to_thread.current_default_thread_limiter().total_tokens = settings.threads
    yield


app = FastAPI(lifespan=lifespan)
app.include_router(router)
