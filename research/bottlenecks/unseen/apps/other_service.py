"""Another team's service: answers after DELAY seconds, AT_ONCE requests at a time, on the port of its argument."""
import asyncio
import os
import sys

DELAY = float(os.environ["DELAY"])
BODY = b'{"status": "ok", "values": [3, 1, 4, 1, 5, 9, 2, 6]}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)


async def main():
    places = asyncio.Semaphore(int(os.environ["AT_ONCE"]))

    async def serve(reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                async with places:
                    await asyncio.sleep(DELAY)
                writer.write(HEAD + BODY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=512)
    async with server:
        await server.serve_forever()


asyncio.run(main())
