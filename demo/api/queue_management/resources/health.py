"""Whether the service and its database answer."""

from flask import Blueprint, jsonify
from sqlalchemy import text

from ..database import get_session

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def get_health():
    get_session().execute(text("SELECT 1"))
    return jsonify(status="ok")
