"""Pages whose context comes from registered providers; a provider may ask for the request."""

import inspect
import os

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

FIXED = os.environ.get("FIXED") == "1"
PROVIDERS = []


def takes_request(provider):
    return "request" in inspect.signature(provider).parameters  # CAUSE


def provides(provider):
    PROVIDERS.append((provider, takes_request(provider)))
    return provider


@provides
def site():
    return {"site": "Example", "year": 2026}


@provides
def language(request, fallback: str = "en"):
    return {"language": request.headers.get("accept-language", fallback)[:2]}


@provides
def theme(request, *, default: str = "light") -> dict:
    return {"theme": request.cookies.get("theme", default)}


@provides
def menu(depth: int = 2, *, hidden: bool = False):
    return {"menu": ["home", "news", "about"][: depth + 1], "hidden": hidden}


@provides
def breadcrumbs(request, limit: int = 5):
    return {"path": request.url.path.split("/")[:limit]}


@provides
def flags(enabled: tuple = ("search",), disabled: tuple = ()):
    return {flag: flag not in disabled for flag in enabled}


def context_for(request):
    context = {}
    for provider, wanted in PROVIDERS:
        if not FIXED:
            wanted = takes_request(provider)  # CAUSE
        context.update(provider(request) if wanted else provider())
    return context


async def page(request):
    return JSONResponse({"title": request.path_params["name"]} | context_for(request))


async def health(_request):
    return JSONResponse({"ok": True})


app = Starlette(routes=[Route("/pages/{name}", page), Route("/health", health)])
