"""Published content: index pages of folders, a redirect to each artifact, and the artifacts."""

from itertools import cycle

from flask import Blueprint, Response, current_app, redirect, url_for
from markupsafe import Markup

from ..content import get_content_cache
from ..content.artifacts import make_artifact
from ..content.lookup import find_content, list_folder
from ..database import get_session
from ..errors import NotFound

blueprint = Blueprint("content", __name__)


@blueprint.get("/content/")
def list_links(folder: str = ""):
    """Folders and files, as links; they take turns with the origins, where there are some."""
    names = list_folder(get_session(), folder)
    if not names:
        raise NotFound(f"Content {folder} does not exist.")
    origins = cycle(current_app.config["CONTENT_ORIGINS"] or ("",))
    lines = [
        Markup('<li><a href="{}{}">{}</a></li>').format(
            origin, url_for(".redirect_to_artifact", path=folder + name), name
        )
        for name, origin in zip(names, origins)
    ]
    page = "\n".join(["<!doctype html>", "<title>Content</title>", "<ul>", *lines, "</ul>", ""])
    return Response(page, mimetype="text/html")


@blueprint.get("/content/<path:path>")
def redirect_to_artifact(path: str):
    """302 to where the artifact is; ``X-Content-Cache`` says who knew it. A folder is a page."""
    if path.endswith("/"):
        return list_links(path)
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


@blueprint.get("/content/<path:path>/artifact")
def get_artifact(path: str):
    return Response(make_artifact(path), mimetype="application/octet-stream")
