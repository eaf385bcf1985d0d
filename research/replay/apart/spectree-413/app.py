"""Validation by annotations: a decorator finds the models in the signature of the responder."""

from __future__ import annotations

import os
from functools import lru_cache, wraps
from typing import Optional, get_type_hints

import falcon
from pydantic import BaseModel

FIXED = os.environ.get("FIXED") == "1"
cached_type_hints = lru_cache(maxsize=None)(get_type_hints)


class Query(BaseModel):
    text: str = ""
    limit: int = 10
    order: Optional[str] = None


class Header(BaseModel):
    accept: str = "*/*"
    language: Optional[str] = None


class Cookie(BaseModel):
    session: Optional[str] = None


def validate(responder):
    @wraps(responder)
    def checked(self, req, resp, **values):
        given = {
            "query": lambda: Query.model_validate(req.params),
            "headers": lambda: Header.model_validate({key.lower(): value for key, value in req.headers.items()}),
            "cookies": lambda: Cookie.model_validate(req.cookies),
        }
        if FIXED:
            hints = cached_type_hints(responder)
        else:
            hints = get_type_hints(responder)  # CAUSE
        for name, read in given.items():
            if name in hints:
                values[name] = read()
        return responder(self, req, resp, **values)

    return checked


class Books:
    @validate
    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        query: Optional[Query] = None,
        headers: Optional[Header] = None,
        cookies: Optional[Cookie] = None,
    ) -> None:
        resp.media = {"text": query.text, "books": list(range(query.limit)), "accept": headers.accept}


class Shelf:
    @validate
    def on_get(
        self, req: falcon.Request, resp: falcon.Response, number: int, query: Optional[Query] = None
    ) -> None:
        resp.media = {"number": number, "limit": query.limit}


app = falcon.App()
app.add_route("/books", Books())
app.add_route("/shelves/{number:int}", Shelf())
