"""Fills an empty database with rows that are the same every time."""

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from . import models
from .config import database_url
from .content.models import Repository
from .content.seed import add_content
from .database import create_db_engine
from .tasks import models as _tasks  # noqa: F401 (its tables are made, too)

# with clock changes, the API and its clients would have to know the same version of the rules
TIMEZONE = "Etc/GMT+8"
OFFICES = {1: "Victoria", 3: "Kelowna", 7: "Prince George"}
CATEGORY_COUNT = 50
CHANNEL_COUNT = 50
EXAM_TYPE_COUNT = 60
SERVICE_COUNT = 120
CITIZEN_COUNT = 150
APPOINTMENT_COUNT = 200

_TOPICS = ("Licence", "Permit", "Health card", "Property tax", "Pension", "Identity", "Vehicle")
_CHANNELS = ("Counter", "Phone", "E-mail", "Post", "Web chat")
_NAMES = ("Amara", "Bruno", "Chen", "Dilnoza", "Elif", "Farid", "Grace", "Hana", "Ivo", "Jun")
_START = datetime(2030, 1, 7, 9, 0)


def seed_database(url: str) -> None:
    """Create tables and rows where there are none; to be called before any worker runs."""
    engine = create_db_engine(url)
    try:
        models.Base.metadata.create_all(engine)
        with Session(engine) as session:
            if session.scalar(select(func.count()).select_from(models.Office)) == 0:
                _add_lookups(session)
                _add_citizens(session)
                _add_appointments(session)
            if session.scalar(select(func.count()).select_from(Repository)) == 0:
                add_content(session)
            session.commit()
    finally:
        engine.dispose()


def services_of_office(office_id: int) -> list[int]:
    """The ids of the services that an office offers: about half of all."""
    return [n for n in range(1, SERVICE_COUNT + 1) if (n + office_id) % 2 == 0 or n % 5 == 0]


def _add_lookups(session: Session) -> None:
    for n in range(1, CATEGORY_COUNT + 1):
        topic = _TOPICS[n % len(_TOPICS)]
        session.add(
            models.Category(
                category_id=n,
                category_name=f"{topic} {n}",
                category_desc=f"Everything about {topic.lower()} matters, group {n}.",
            )
        )
    for n in range(1, CHANNEL_COUNT + 1):
        name = f"{_CHANNELS[n % len(_CHANNELS)]} {n}"
        session.add(models.Channel(channel_id=n, channel_name=name))
    for n in range(1, EXAM_TYPE_COUNT + 1):
        session.add(
            models.ExamType(
                exam_type_id=n,
                exam_type_name=f"Exam {n}: {_TOPICS[n % len(_TOPICS)]}",
                exam_color=f"#{n * 4099 % 0xFFFFFF:06x}",
                number_of_hours=1 + n % 5,
                group_exam=n % 3 == 0,
            )
        )
    session.flush()
    services = {n: _service(n) for n in range(1, SERVICE_COUNT + 1)}
    session.add_all(services.values())
    for office_id, name in OFFICES.items():
        office = models.Office(
            office_id=office_id,
            office_name=f"Service centre {name}",
            office_number=100 + office_id,
            timezone=TIMEZONE,
        )
        office.services = [services[n] for n in services_of_office(office_id)]
        session.add(office)
    session.flush()


def _service(n: int) -> models.Service:
    topic = _TOPICS[n % len(_TOPICS)]
    return models.Service(
        service_id=n,
        service_code=f"SVC-{n:03d}",
        service_name=f"{topic} service {n}",
        service_desc=f"Helps with {topic.lower()} questions at the counter or by phone; form {n}.",
        duration_minutes=15 * (1 + n % 4),
        category_id=1 + n % CATEGORY_COUNT,
    )


def _add_citizens(session: Session) -> None:
    office_ids = list(OFFICES)
    for n in range(1, CITIZEN_COUNT + 1):
        citizen = models.Citizen(
            citizen_id=n,
            citizen_name=f"{_NAMES[n % len(_NAMES)]} {n}",
            ticket_number=f"T{n:04d}",
            citizen_comments=f"Waits since ticket {n}; brought form {n % 9}.",
            start_time=_START + timedelta(minutes=3 * n),
            office_id=office_ids[n % len(office_ids)],
        )
        citizen.service_requests = [
            models.ServiceRequest(
                quantity=1 + (n + k) % 3,
                service_id=1 + (7 * n + k) % SERVICE_COUNT,
                channel_id=1 + (n + k) % CHANNEL_COUNT,
            )
            for k in range(1 + n % 2)
        ]
        session.add(citizen)


def _add_appointments(session: Session) -> None:
    office_ids = list(OFFICES)
    for n in range(1, APPOINTMENT_COUNT + 1):
        office_id = office_ids[n % len(office_ids)]
        offered = services_of_office(office_id)
        start = _START + timedelta(minutes=15 * n)
        session.add(
            models.Appointment(
                office_id=office_id,
                service_id=offered[n % len(offered)],
                start_time=start,
                end_time=start + timedelta(minutes=15),
                citizen_name=f"{_NAMES[n % len(_NAMES)]} {n}",
                contact_information=f"citizen{n}@example.org",
                comments=f"Seeded appointment {n}",
                is_draft=False,
            )
        )


if __name__ == "__main__":
    # gunicorn's configuration does this by itself; other servers need it done before
    seed_database(database_url())
