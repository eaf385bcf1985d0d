"""A blocking call in `async def`: one request at a time."""
import asyncio
import time
from fastapi import FastAPI
from known import FIXED

app = FastAPI()


async def send_mail():
    if FIXED:
        await asyncio.sleep(0.02)
    else:
        time.sleep(0.02)


@app.get("/")
async def order():
    await send_mail()
    return {"ok": True}
