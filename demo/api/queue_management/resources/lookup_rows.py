"""Finds the rows that a request names, or says which one does not exist."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from .. import models
from ..errors import NotFound


def find_office(session: Session, office_id: int, *options) -> models.Office:
    """The office; raises NotFound."""
    office = session.get(models.Office, office_id, options=options)
    if office is None:
        raise NotFound(f"Office {office_id} does not exist.")
    return office


def find_service(session: Session, office_id: int, service_id: int) -> models.Service:
    """The service, if the office offers it; raises NotFound."""
    find_office(session, office_id)
    query = (
        select(models.Service)
        .join(models.office_service)
        .where(models.office_service.c.office_id == office_id)
        .where(models.Service.service_id == service_id)
        .options(joinedload(models.Service.category))
    )
    service = session.scalars(query).one_or_none()
    if service is not None:
        return service
    if session.get(models.Service, service_id) is None:
        raise NotFound(f"Service {service_id} does not exist.")
    raise NotFound(f"Service {service_id} is not offered by office {office_id}.")


def find_appointment(session: Session, appointment_id: int, is_draft: bool) -> models.Appointment:
    """The appointment or draft; raises NotFound."""
    appointment = session.get(models.Appointment, appointment_id)
    if appointment is None or appointment.is_draft != is_draft:
        kind = "Draft appointment" if is_draft else "Appointment"
        raise NotFound(f"{kind} {appointment_id} does not exist.")
    return appointment
