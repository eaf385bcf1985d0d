"""A service that answers after DELAY seconds, AT_ONCE requests at a time: `python other_service.py PORT`."""

import asyncio
import json
import os
import sys

DELAY = float(os.environ["DELAY"])
permits = asyncio.Semaphore(int(os.environ["AT_ONCE"]))
BODY = json.dumps({"ok": True, "value": 42}).encode()
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    await reader.readexactly(int(line.split(b":")[1]))
            async with permits:
                await asyncio.sleep(DELAY)
            writer.write(RESPONSE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=512)
    await server.serve_forever()


asyncio.run(main())
