"""Scanned letters from a document store whose client is synchronous."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from archive_store import DocumentStore

store = DocumentStore(os.environ["OTHER"])
readers = ThreadPoolExecutor(
    max_workers=24 if os.environ.get("FIXED") else 2,
    thread_name_prefix="store",
)


async def in_store(function, *args):
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(readers, function, *args)


async def letter(request):
    letter_id = request.path_params["letter_id"]
    meta = await in_store(store.metadata, letter_id)
    return JSONResponse({"id": letter_id, "pages": meta["value"]})


async def health(request):
    return JSONResponse({"status": "up"})


app = Starlette(
    routes=[
        Route("/health", health),
        Mount("/letters", routes=[Route("/{letter_id}", letter)]),
    ]
)
