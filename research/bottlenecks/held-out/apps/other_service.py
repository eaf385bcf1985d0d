"""Another service: answers after DELAY seconds, AT_ONCE requests at a time."""
import asyncio
import os
import sys

DELAY = float(os.environ["DELAY"])
AT_ONCE = asyncio.Semaphore(int(os.environ["AT_ONCE"]))
BODY = b'{"status": "ok", "value": 42}'
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    + b"Content-Length: %d\r\n\r\n" % len(BODY)
    + BODY
)


def read_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return 0


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(read_length(head))
            async with AT_ONCE:
                await asyncio.sleep(DELAY)
            writer.write(RESPONSE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
