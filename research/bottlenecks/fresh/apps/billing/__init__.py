from fastapi import FastAPI

from .router import router

app = FastAPI(title="billing")
app.include_router(router, prefix="/v1")
