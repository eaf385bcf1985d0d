"""Checks the body of a request that creates or changes an appointment."""

from datetime import datetime, timezone

from flask import request
from sqlalchemy.orm import Session

from ..errors import BadRequest
from ..models import Appointment
from .lookup_rows import find_office, find_service

_TEXT_FIELDS = {"citizen_name": 80, "contact_information": 120, "comments": 2000}


def apply_body(session: Session, appointment: Appointment) -> None:
    """Copy what the request's JSON holds into the appointment; raises BadRequest or NotFound.

    A new appointment needs ``office_id``, ``service_id``, ``start_time`` and ``end_time``; a change
    may leave out what stays.
    """
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise BadRequest("The body is no JSON object.")
    is_new = appointment.office_id is None
    if is_new or "office_id" in body or "service_id" in body:
        office_id = _whole_number(body, "office_id", appointment.office_id)
        service_id = _whole_number(body, "service_id", appointment.service_id)
        appointment.service = find_service(session, office_id, service_id)
        appointment.office = find_office(session, office_id)
    for name in ("start_time", "end_time"):
        if is_new or name in body:
            setattr(appointment, name, _time(body, name))
    if appointment.end_time <= appointment.start_time:
        raise BadRequest("end_time is not after start_time.")
    for name, max_length in _TEXT_FIELDS.items():
        if name in body:
            setattr(appointment, name, _text(body, name, max_length))


def _whole_number(body: dict, name: str, default: int | None) -> int:
    value = body.get(name, default)
    # ids that come from a form or a CSV file are text
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise BadRequest(f"{name} is missing or no whole number.")


def _time(body: dict, name: str) -> datetime:
    """Times are stored in UTC without a zone."""
    try:
        value = datetime.fromisoformat(str(body.get(name)).replace("Z", "+00:00"))
    except ValueError:
        raise BadRequest(f"{name} is missing or no ISO 8601 time.") from None
    return value.astimezone(timezone.utc).replace(tzinfo=None) if value.tzinfo else value


def _text(body: dict, name: str, max_length: int) -> str | None:
    value = body[name]
    if value is not None and (not isinstance(value, str) or len(value) > max_length):
        raise BadRequest(f"{name} is no text of at most {max_length} characters.")
    return value
