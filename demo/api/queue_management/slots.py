"""When an office has time for an appointment."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from .models import Appointment, Office

DAYS = 30
_OPENS, _CLOSES = time(9), time(17)
_WEEKEND = (5, 6)
_COUNTERS = 4


@dataclass(frozen=True)
class Slot:
    """A time on the office's clock."""

    start: datetime
    end: datetime
    free: int


def next_days(office: Office) -> list[date]:
    """The days for which appointments are made, from today."""
    today = datetime.now(ZoneInfo(office.timezone)).date()
    return [today + timedelta(days=n) for n in range(DAYS)]


def find_free_slots(
    session: Session, office: Office, minutes: int, days: list[date]
) -> dict[date, list[Slot]]:
    """The slots of each day that have not begun and that not all counters are taken for."""
    length = timedelta(minutes=minutes)
    now = _on_clock(datetime.now(timezone.utc), office)
    taken = _count_taken(session, office, length, days)
    return {
        day: [
            Slot(start, start + length, _COUNTERS - taken[start])
            for start in _starts_of(day, length)
            if start >= now and taken[start] < _COUNTERS
        ]
        for day in days
    }


def has_free_slot(session: Session, appointment: Appointment) -> bool:
    """Whether it lies within one free slot."""
    office = appointment.office
    start, end = (_on_clock(at, office) for at in (appointment.start_time, appointment.end_time))
    minutes = appointment.service.duration_minutes
    slots = find_free_slots(session, office, minutes, [start.date()])
    return any(slot.start <= start and end <= slot.end for slot in slots[start.date()])


def _starts_of(day: date, length: timedelta):
    start, closes = (datetime.combine(day, at) for at in (_OPENS, _CLOSES))
    while day.weekday() not in _WEEKEND and start + length <= closes:
        yield start
        start += length


def _count_taken(
    session: Session, office: Office, length: timedelta, days: list[date]
) -> Counter[datetime]:
    """How many appointments and drafts lie in each slot, by its start."""
    zone = ZoneInfo(office.timezone)
    ends = datetime.combine(days[-1] + timedelta(days=1), time())
    first, last = (
        datetime.combine(at, time(), zone).astimezone(timezone.utc).replace(tzinfo=None)
        for at in (days[0], ends)
    )
    query = (
        select(Appointment.start_time, Appointment.end_time)
        .where(Appointment.office_id == office.office_id)
        .where(Appointment.start_time < last, Appointment.end_time > first)
    )
    taken = Counter()
    for booked in session.execute(query):
        start, end = (_on_clock(at, office) for at in booked)
        opens = datetime.combine(start.date(), _OPENS)
        slot = opens + (start - opens) // length * length
        while slot < min(end, ends):
            taken[slot] += 1
            slot += length
    return taken


def _on_clock(at: datetime, office: Office) -> datetime:
    """A time in UTC, stored without its zone, on the office's clock."""
    return (
        at.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(office.timezone)).replace(tzinfo=None)
    )
