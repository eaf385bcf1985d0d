"""Cameras of a house: a limit of requests by address, which trusts the header of known proxies."""

import ipaddress
import os
import time
from collections import defaultdict, deque

from fastapi import Depends, FastAPI, HTTPException, Request

FIXED = os.environ.get("FIXED") == "1"
TRUSTED = [f"10.{n}.0.0/16" for n in range(60)] + ["192.168.0.0/16", "127.0.0.0/8"]
NETWORKS = [ipaddress.ip_network(entry) for entry in TRUSTED]
LIMIT = 1_000_000
seen = defaultdict(deque)
app = FastAPI()


def is_trusted(address):
    client = ipaddress.ip_address(address)
    if FIXED:
        return any(client in network for network in NETWORKS)
    for entry in TRUSTED:
        if client in ipaddress.ip_network(entry, strict=False):  # CAUSE
            return True
    return False


def client_of(request):
    direct = request.client.host if request.client else "127.0.0.1"
    forwarded = request.headers.get("x-forwarded-for")
    if is_trusted(direct) and forwarded:
        return forwarded.split(",")[0].strip()
    return direct


async def limited(request: Request):
    now = time.monotonic()
    times = seen[client_of(request)]
    while times and times[0] < now - 1:
        times.popleft()
    if len(times) >= LIMIT:
        raise HTTPException(429)
    times.append(now)


@app.get("/api/cameras", dependencies=[Depends(limited)])
async def cameras():
    return {"cameras": [{"id": n, "name": f"Camera {n}", "online": n % 3 > 0} for n in range(8)]}


@app.get("/api/system", dependencies=[Depends(limited)])
async def system():
    return {"status": "ok"}
