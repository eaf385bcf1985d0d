"""A server of its own kind: middlewares are wrapped around the handler of a route, so that the innermost is called last."""

import functools
import os

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

FIXED = os.environ.get("FIXED") == "1"


async def timing(request, handler):
    """Adds the number of the request."""
    response = await handler(request)
    response.headers["x-number"] = "1"
    return response


async def language(request, handler):
    """Chooses the language."""
    request.state.language = request.headers.get("accept-language", "en")[:2]
    return await handler(request)


async def session(request, handler):
    """Reads the cookie of the session."""
    request.state.session = request.cookies.get("session")
    return await handler(request)


async def errors(request, handler):
    """Turns errors into responses."""
    try:
        return await handler(request)
    except KeyError as error:
        return JSONResponse({"error": str(error)}, status_code=404)


MIDDLEWARES = [timing, language, session, errors] * 8


def wrapped(handler):
    for middleware in reversed(MIDDLEWARES):
        handler = functools.update_wrapper(functools.partial(middleware, handler=handler), handler)  # CAUSE
    return handler


cached_wrapped = functools.lru_cache(maxsize=64)(wrapped)


def served(handler):
    async def endpoint(request):
        chain = cached_wrapped(handler) if FIXED else wrapped(handler)  # CAUSE
        return await chain(request)

    return endpoint


async def state(request):
    """The state of one sensor."""
    return JSONResponse({"name": request.path_params["name"], "language": request.state.language})


async def health(_request):
    """Is it up?"""
    return JSONResponse({"ok": True})


app = Starlette(routes=[Route("/states/{name}", served(state)), Route("/health", served(health))])
