"""A service that an app calls: `python other_service.py PORT ANSWERS AT_ONCE REFUSES`.

ANSWERS is JSON: for each path its `json`, and the seconds that it takes (`delay`); `*` is any other path. It serves AT_ONCE
requests at a time. The others wait, or get a 429 if REFUSES is `true`.
"""

import asyncio
import json
import sys

PORT, ANSWERS, AT_ONCE, REFUSES = map(json.loads, sys.argv[1:])
permits = asyncio.Semaphore(AT_ONCE)


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    await reader.readexactly(int(line.split(b":")[1]))
            path = head.split(b" ", 2)[1].decode()
            answer = ANSWERS.get(path) or ANSWERS["*"]
            status = b"429 Too Many Requests" if REFUSES and permits.locked() else b"200 OK"
            if status == b"200 OK":
                async with permits:
                    await asyncio.sleep(answer.get("delay", 0))
            body = json.dumps(answer["json"]).encode()
            rest = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
            writer.write(b"HTTP/1.1 %b\r\n%b" % (status, rest))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", PORT, backlog=512)
    await server.serve_forever()


asyncio.run(main())
