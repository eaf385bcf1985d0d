"""A tool server that asks the identity provider whether a token is active."""

import hashlib
import os
import time

import httpx
from fastapi import Depends, FastAPI, Header, HTTPException

INTROSPECTION = os.environ["OTHER"] + "/introspect"
CACHE_SECONDS = 60 if os.environ.get("FIXED") == "1" else 0
TOOLS = [{"name": f"tool-{number}", "arguments": ["path", "depth"]} for number in range(30)]
app = FastAPI()


class Verifier:
    """Asks for each token; remembers the result if it may."""

    def __init__(self):
        self.client = httpx.AsyncClient(timeout=5)
        self.known = {}

    async def introspect(self, token):
        form = {"token": token, "token_type_hint": "access_token"}
        response = await self.client.post(INTROSPECTION, data=form, auth=("tools", "secret"))  # CAUSE
        response.raise_for_status()
        return response.json()

    async def verify(self, token):
        key = hashlib.sha256(token.encode()).hexdigest()
        until, claims = self.known.get(key, (0, None))
        if time.monotonic() < until:
            return claims
        claims = await self.introspect(token)  # CAUSE
        if not claims.get("active"):
            raise HTTPException(401)
        if CACHE_SECONDS:
            self.known[key] = (time.monotonic() + CACHE_SECONDS, claims)
        return claims


verifier = Verifier()


async def user(authorization: str = Header()):
    claims = await verifier.verify(authorization.removeprefix("Bearer "))
    return claims["sub"]


@app.get("/tools")
async def list_tools(name: str = Depends(user)):
    return {"user": name, "tools": TOOLS}
