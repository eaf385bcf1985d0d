"""Tasks that workers do after the answer, and how many of them there are."""

from flask import Blueprint, jsonify, request

from ..errors import BadRequest
from ..tasks.flask_queues import get_task_queues
from ..tasks.jobs import KINDS
from .whole_number import parse_whole_number

blueprint = Blueprint("tasks", __name__)

_MOST_MS = 60_000
_MOST_TASKS = 10_000


@blueprint.post("/tasks")
def create_tasks():
    """One task, or ``count`` of them."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise BadRequest("The body is no JSON object.")
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadRequest(f"kind is none of {', '.join(KINDS)}.")
    ms = parse_whole_number("ms", body.get("ms", 0), 0, _MOST_MS)
    count = parse_whole_number("count", request.args.get("count", 1), 1, _MOST_TASKS)
    get_task_queues().accept(kind, ms, count)
    return jsonify(accepted=count), 202


@blueprint.get("/tasks/stats")
def get_stats():
    return jsonify(get_task_queues().read_stats())


@blueprint.delete("/tasks")
def empty_queues():
    get_task_queues().empty()
    return "", 204
