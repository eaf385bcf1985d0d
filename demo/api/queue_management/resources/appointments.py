"""Appointments: list, create, change, delete."""

from flask import Blueprint, g, jsonify
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from .. import models, schemas
from ..auth import requires_auth
from ..database import get_session
from ..errors import ScheduleConflict
from ..slots import has_free_slot
from .appointment_body import apply_body
from .lookup_rows import find_appointment

blueprint = Blueprint("appointments", __name__)

_PAGE_SIZE = 150


@blueprint.get("/appointments/")
@requires_auth
def list_appointments():
    """The next appointments of all offices; drafts are left out."""
    query = (
        select(models.Appointment)
        .where(models.Appointment.is_draft.is_(False))
        .options(
            joinedload(models.Appointment.office),
            joinedload(models.Appointment.service).joinedload(models.Service.category),
        )
        .order_by(models.Appointment.start_time, models.Appointment.appointment_id)
        .limit(_PAGE_SIZE)
    )
    rows = get_session().scalars(query)
    return jsonify(appointments=[schemas.appointment(row) for row in rows])


@blueprint.post("/appointments/")
@requires_auth
def create_appointment():
    session = get_session()
    appointment = models.Appointment(is_draft=False, created_by=g.claims.get("preferred_username"))
    apply_body(session, appointment)
    if not has_free_slot(session, appointment):
        raise ScheduleConflict
    session.add(appointment)
    session.commit()
    return jsonify(appointment=schemas.appointment(appointment)), 201


@blueprint.put("/appointments/<int:appointment_id>/")
@requires_auth
def update_appointment(appointment_id: int):
    session = get_session()
    appointment = find_appointment(session, appointment_id, is_draft=False)
    apply_body(session, appointment)
    session.commit()
    return jsonify(appointment=schemas.appointment(appointment))


@blueprint.delete("/appointments/<int:appointment_id>/")
@requires_auth
def delete_appointment(appointment_id: int):
    session = get_session()
    session.delete(find_appointment(session, appointment_id, is_draft=False))
    session.commit()
    return "", 204
