"""Where a parcel is, as the carrier says."""
import os

import requests
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool

IN_THREADS = bool(os.environ.get("FIXED"))
STATES = {"ok": "on its way", "done": "delivered"}

app = FastAPI(title="Parcel tracking")
session = requests.Session()
session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=40))


def ask_carrier(parcel: str) -> dict:
    response = session.get(f"{os.environ['OTHER']}parcels/{parcel}", timeout=10)
    response.raise_for_status()
    return response.json()


@app.get("/parcels/{parcel}")
async def track(parcel: str):
    if IN_THREADS:
        answer = await run_in_threadpool(ask_carrier, parcel)
    else:
        answer = ask_carrier(parcel)
    return {"parcel": parcel, "state": STATES.get(answer["status"], "unknown")}
