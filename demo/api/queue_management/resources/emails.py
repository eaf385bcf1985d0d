"""E-mails, sent before the answer or after it: the same work in two places."""

from flask import Blueprint, current_app, jsonify, request

from ..errors import BadRequest, NotConfigured
from ..mail import send_email
from ..tasks.flask_queues import get_task_queues

blueprint = Blueprint("emails", __name__)


@blueprint.post("/emails")
def create_email():
    """``mode=inline`` sends within the request, ``mode=queued`` leaves it to a worker."""
    mode = request.args.get("mode", "inline")
    if mode == "inline":
        server = current_app.config["SMTP_SERVER"]
        if not server:
            raise NotConfigured("e-mails need a mail server: SMTP_SERVER is not set")
        send_email(server)
        return jsonify(sent=True)
    if mode == "queued":
        get_task_queues().accept("email", 0)
        return jsonify(sent=False), 202
    raise BadRequest("mode is none of inline, queued.")
