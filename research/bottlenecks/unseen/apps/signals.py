"""Signals of a railway line, as plain ASGI: two connections to the interlocking, and few requests for them."""
import json
import os

import httpx


class SignalBoard:
    def __init__(self, url):
        self.url = url
        self.client = None

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            return await self.live(receive, send)
        answer = await self.client.get(self.url, params={"line": scope["path"]})
        body = json.dumps({"line": scope["path"], "aspects": answer.json()["values"]}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def live(self, receive, send):
        await receive()
        self.client = httpx.AsyncClient(limits=httpx.Limits(max_connections=2))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.client.aclose()
        await send({"type": "lifespan.shutdown.complete"})


app = SignalBoard(os.environ["OTHER"])
