"""Draft appointments: a time kept free while somebody fills in a form."""

from flask import Blueprint, g, jsonify

from .. import models, schemas
from ..auth import requires_auth
from ..database import get_session
from ..errors import ScheduleConflict
from ..slots import has_free_slot
from .appointment_body import apply_body
from .lookup_rows import find_appointment

blueprint = Blueprint("drafts", __name__)


@blueprint.post("/appointments/draft")
@requires_auth
def create_draft():
    session = get_session()
    draft = models.Appointment(is_draft=True, created_by=g.claims.get("preferred_username"))
    apply_body(session, draft)
    if not has_free_slot(session, draft):
        raise ScheduleConflict
    session.add(draft)
    session.commit()
    return jsonify(appointment=schemas.appointment(draft)), 201


@blueprint.delete("/appointments/draft/<int:draft_id>/")
@requires_auth
def delete_draft(draft_id: int):
    session = get_session()
    session.delete(find_appointment(session, draft_id, is_draft=True))
    session.commit()
    return "", 204
