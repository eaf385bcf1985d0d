"""How rows look as JSON."""

from . import models
from .slots import Slot


def category(row: models.Category) -> dict:
    return {
        "category_id": row.category_id,
        "category_name": row.category_name,
        "category_desc": row.category_desc,
    }


def channel(row: models.Channel) -> dict:
    return {"channel_id": row.channel_id, "channel_name": row.channel_name}


def exam_type(row: models.ExamType) -> dict:
    return {
        "exam_type_id": row.exam_type_id,
        "exam_type_name": row.exam_type_name,
        "exam_color": row.exam_color,
        "number_of_hours": row.number_of_hours,
        "group_exam_ind": row.group_exam,
    }


def office(row: models.Office) -> dict:
    return {
        "office_id": row.office_id,
        "office_name": row.office_name,
        "office_number": row.office_number,
        "timezone": {"timezone_name": row.timezone},
    }


def slot(row: Slot) -> dict:
    return {
        "start_time": f"{row.start:%H:%M}",
        "end_time": f"{row.end:%H:%M}",
        "no_of_slots": row.free,
    }


def service(row: models.Service) -> dict:
    return {
        "service_id": row.service_id,
        "service_code": row.service_code,
        "service_name": row.service_name,
        "service_desc": row.service_desc,
        "timeslot_duration": row.duration_minutes,
        "parent": category(row.category),
    }


def citizen(row: models.Citizen) -> dict:
    return {
        "citizen_id": row.citizen_id,
        "citizen_name": row.citizen_name,
        "ticket_number": row.ticket_number,
        "citizen_comments": row.citizen_comments,
        "start_time": row.start_time.isoformat(),
        "office_id": row.office_id,
        "service_reqs": [
            {
                "sr_id": request.sr_id,
                "quantity": request.quantity,
                "service": service(request.service),
                "channel": channel(request.channel),
            }
            for request in row.service_requests
        ],
    }


def appointment(row: models.Appointment) -> dict:
    return {
        "appointment_id": row.appointment_id,
        "office": office(row.office),
        "office_id": row.office_id,
        "service": service(row.service),
        "service_id": row.service_id,
        "start_time": row.start_time.isoformat(),
        "end_time": row.end_time.isoformat(),
        "citizen_name": row.citizen_name,
        "contact_information": row.contact_information,
        "comments": row.comments,
        "is_draft": row.is_draft,
    }
