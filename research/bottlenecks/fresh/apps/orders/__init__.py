"""Orders of a shop."""

from fastapi import FastAPI

from .routes import router

app = FastAPI(title="orders")
app.include_router(router)
