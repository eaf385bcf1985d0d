"""An app of aiohttp's own server: its requests are served as those of an ASGI app around each of them."""

import contextvars

from ..requests import CALLER
from .asgi import AsgiCompanion

CODEC = "utf-8", "surrogateescape"
# adds headers to the response of the request under way; None: it has them
SEND = contextvars.ContextVar("loadflame_send", default=None)


async def serve_asked(scope, _receive, send):
    """Serve a request of aiohttp; most responses are sent after their handler returned."""
    asked, caller = scope["aiohttp"], CALLER.get()
    if caller is not None:
        caller.frames.take(caller, read_resource, asked.match_info.route.resource)
    SEND.set(send)
    try:
        response = await scope["handler"](asked)
    except Exception as error:
        if hasattr(error, "set_status"):  # a response that is raised
            await prepare(asked, error)
        raise
    await prepare(asked, response)
    return response


async def prepare(_asked, response):
    """Add headers to a response that is about to be sent."""
    send, headers = SEND.get(), getattr(response, "headers", None)
    if send is not None and headers is not None:
        SEND.set(None)
        own = [(name.encode(*CODEC), value.encode(*CODEC)) for name, value in headers.items()]
        await send({"type": "http.response.start", "headers": own, "aiohttp": headers})


async def put_headers(message):
    """Put headers in the place of those of a response."""
    made, headers = [(name.decode(*CODEC), value.decode(*CODEC)) for name, value in message["headers"]], message["aiohttp"]
    headers.clear()
    headers.extend(made)


def read_resource(resource):
    """Return the route of a resource: a path, or a regular expression, or what stands before the files of a folder."""
    about = resource.get_info()
    return about["pattern"].pattern if "pattern" in about else about.get("path") or about["prefix"] + "/*"


COMPANION = AsgiCompanion(serve_asked)


async def follow_handler(asked, handler):
    """Serve a request below its frames: a middleware of aiohttp, the outermost."""
    scope = {
        "type": "http",
        "http_version": "%d.%d" % asked.version,
        "method": asked.method,
        "raw_path": asked.raw_path.encode(*CODEC),
        "headers": [(name.lower(), value) for name, value in asked.raw_headers],
        "client": (asked.remote or "",),
        "aiohttp": asked,
        "handler": handler,
    }
    return await COMPANION(scope, None, put_headers)


follow_handler.__middleware_version__, follow_handler.is_loadflame = 1, True


def follow_handlers(app):
    """Return an app of aiohttp, whose requests are served below their frames."""
    if not app.frozen and not any([hasattr(one, "is_loadflame") for one in app.middlewares]):
        app.middlewares.insert(0, follow_handler)
        app.on_response_prepare.append(prepare)
    return app
