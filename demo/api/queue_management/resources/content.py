"""Published content: an index page, a redirect to each artifact, and the artifacts."""

from itertools import cycle

from flask import Blueprint, Response, current_app, redirect, url_for
from markupsafe import Markup

from ..content import get_content_cache
from ..content.artifacts import make_artifact
from ..content.lookup import find_content, list_content
from ..database import get_session

blueprint = Blueprint("content", __name__)


@blueprint.get("/content/")
def list_links():
    """All that is published, as links; they take turns with the origins, where there are some."""
    origins = cycle(current_app.config["CONTENT_ORIGINS"] or ("",))
    lines = [
        Markup('<li><a href="{}{}">{}</a></li>').format(
            origin, url_for(".redirect_to_artifact", path=path), path
        )
        for path, origin in zip(list_content(get_session()), origins)
    ]
    page = "\n".join(["<!doctype html>", "<title>Content</title>", "<ul>", *lines, "</ul>", ""])
    return Response(page, mimetype="text/html")


@blueprint.get("/content/<path>")
def redirect_to_artifact(path: str):
    """302 to where the artifact is; ``X-Content-Cache`` says who knew it."""
    cache = get_content_cache()
    location = cache.get(path)
    is_hit = location is not None
    if not is_hit:
        content = find_content(get_session(), path)
        location = url_for(".get_artifact", path=path, sha256=content.artifact.sha256)
        cache.put(path, location)
    response = redirect(location)
    response.headers["X-Content-Cache"] = "hit" if is_hit else "miss"
    return response


@blueprint.get("/content/<path>/artifact")
def get_artifact(path: str):
    return Response(make_artifact(path), mimetype="application/octet-stream")
