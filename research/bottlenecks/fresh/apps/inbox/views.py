from flask import Blueprint, jsonify

from . import broker

bp = Blueprint("inbox", __name__)


@bp.get("/inbox/<user>")
def poll(user):
    message = broker.next_message(user)
    return jsonify(user=user, messages=[message] if message else [])
