"""Articles of a wholesaler that wants numbered requests."""

import contextlib
import os

import httpx
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from .supplier import Supplier


@contextlib.asynccontextmanager
async def lifespan(application):
    async with httpx.AsyncClient(base_url=os.environ["OTHER"], timeout=30) as http:
        application.state.supplier = Supplier(http)
        yield


async def article(request):
    number = request.path_params["number"]
    stock = await request.app.state.supplier.stock(number)
    return JSONResponse({"article": number, "stock": stock})


app = Starlette(routes=[Route("/articles/{number:int}", article)], lifespan=lifespan)
