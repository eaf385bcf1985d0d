"""Sends back what it gets; prints its port."""

import asyncio


async def serve(reader, writer):
    while data := await reader.read(65_536):
        writer.write(data)
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"port {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
