"""Free slots of an office: where an appointment can lie."""

from flask import Blueprint, jsonify, request

from .. import schemas
from ..auth import requires_auth
from ..database import get_session
from ..slots import find_free_slots, next_days
from .lookup_rows import find_office, find_service
from .whole_number import parse_whole_number

blueprint = Blueprint("slots", __name__)

_MINUTES = 30


@blueprint.get("/offices/<int:office_id>/slots/")
@requires_auth
def list_slots(office_id: int):
    """Those of the next days, as long as the service takes, where one is named."""
    session = get_session()
    office = find_office(session, office_id)
    minutes = _MINUTES
    if "service_id" in request.args:
        service_id = parse_whole_number("service_id", request.args["service_id"], 1, 999_999_999)
        minutes = find_service(session, office_id, service_id).duration_minutes
    days = find_free_slots(session, office, minutes, next_days(office))
    return jsonify({f"{day:%m/%d/%Y}": [schemas.slot(row) for row in days[day]] for day in days})
