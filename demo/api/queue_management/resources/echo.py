"""Gives back what it got: the cheapest answer of this API, to measure everything around it."""

from flask import Blueprint, Response, jsonify, request

blueprint = Blueprint("echo", __name__)


@blueprint.get("/echo")
def echo_query():
    return jsonify(request.args)


@blueprint.post("/echo")
def echo_body():
    # a type that a browser would render is not given back: its text is somebody else's
    mimetype = "application/json" if request.is_json else "application/octet-stream"
    return Response(request.get_data(), mimetype=mimetype)
