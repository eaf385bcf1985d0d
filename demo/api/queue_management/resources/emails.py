"""E-mails, sent before the answer or after it: the same work in two places."""

from flask import Blueprint, current_app, jsonify, request

from ..errors import BadRequest
from ..mail import send_email
from ..tasks.flask_queues import get_task_queues

blueprint = Blueprint("emails", __name__)


@blueprint.post("/emails")
def create_email():
    """``mode=inline`` sends within the request, ``mode=queued`` leaves it to a worker."""
    mode = request.args.get("mode", "inline")
    delay_ms = current_app.config["SMTP_DELAY_MS"]
    if mode == "inline":
        send_email(delay_ms)
        return jsonify(sent=True)
    if mode == "queued":
        get_task_queues().accept("email", delay_ms)
        return jsonify(sent=False), 202
    raise BadRequest("mode is none of inline, queued.")
