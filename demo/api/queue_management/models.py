"""Tables."""

from datetime import datetime

from sqlalchemy import Column, ForeignKey, Index, String, Table, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    """Base of all models."""


office_service = Table(
    "office_service",
    Base.metadata,
    Column("office_id", ForeignKey("office.office_id"), primary_key=True),
    Column("service_id", ForeignKey("service.service_id"), primary_key=True),
)


class Category(Base):
    """A group of services."""

    __tablename__ = "category"
    category_id: Mapped[int] = mapped_column(primary_key=True)
    category_name: Mapped[str] = mapped_column(String(80))
    category_desc: Mapped[str] = mapped_column(Text)


class Channel(Base):
    """How a citizen reaches an office: counter, phone, e-mail and so on."""

    __tablename__ = "channel"
    channel_id: Mapped[int] = mapped_column(primary_key=True)
    channel_name: Mapped[str] = mapped_column(String(80))


class ExamType(Base):
    """A kind of exam that offices supervise."""

    __tablename__ = "exam_type"
    exam_type_id: Mapped[int] = mapped_column(primary_key=True)
    exam_type_name: Mapped[str] = mapped_column(String(80))
    exam_color: Mapped[str] = mapped_column(String(7))
    number_of_hours: Mapped[int]
    group_exam: Mapped[bool]


class Service(Base):
    """Something that citizens come for."""

    __tablename__ = "service"
    service_id: Mapped[int] = mapped_column(primary_key=True)
    service_code: Mapped[str] = mapped_column(String(20))
    service_name: Mapped[str] = mapped_column(String(80))
    service_desc: Mapped[str] = mapped_column(Text)
    duration_minutes: Mapped[int]
    category_id: Mapped[int] = mapped_column(ForeignKey("category.category_id"))
    category: Mapped[Category] = relationship()


class Office(Base):
    """A place with counters."""

    __tablename__ = "office"
    office_id: Mapped[int] = mapped_column(primary_key=True)
    office_name: Mapped[str] = mapped_column(String(80))
    office_number: Mapped[int]
    timezone: Mapped[str] = mapped_column(String(40))
    services: Mapped[list[Service]] = relationship(
        secondary=office_service, order_by=Service.service_id
    )


class Citizen(Base):
    """Somebody who waits in an office."""

    __tablename__ = "citizen"
    citizen_id: Mapped[int] = mapped_column(primary_key=True)
    citizen_name: Mapped[str] = mapped_column(String(80))
    ticket_number: Mapped[str] = mapped_column(String(10))
    citizen_comments: Mapped[str] = mapped_column(Text)
    start_time: Mapped[datetime]
    office_id: Mapped[int] = mapped_column(ForeignKey("office.office_id"))
    service_requests: Mapped[list["ServiceRequest"]] = relationship(
        back_populates="citizen", order_by="ServiceRequest.sr_id"
    )


class ServiceRequest(Base):
    """A service that a citizen asked for."""

    __tablename__ = "service_request"
    sr_id: Mapped[int] = mapped_column(primary_key=True)
    quantity: Mapped[int]
    citizen_id: Mapped[int] = mapped_column(ForeignKey("citizen.citizen_id"), index=True)
    service_id: Mapped[int] = mapped_column(ForeignKey("service.service_id"))
    channel_id: Mapped[int] = mapped_column(ForeignKey("channel.channel_id"))
    citizen: Mapped[Citizen] = relationship(back_populates="service_requests")
    service: Mapped[Service] = relationship()
    channel: Mapped[Channel] = relationship()


class Appointment(Base):
    """A time that is kept free for a citizen; a draft holds it while a form is filled in."""

    __tablename__ = "appointment"
    __table_args__ = (Index("appointment_by_start", "is_draft", "start_time"),)
    appointment_id: Mapped[int] = mapped_column(primary_key=True)
    office_id: Mapped[int] = mapped_column(ForeignKey("office.office_id"))
    service_id: Mapped[int] = mapped_column(ForeignKey("service.service_id"))
    start_time: Mapped[datetime]
    end_time: Mapped[datetime]
    citizen_name: Mapped[str | None] = mapped_column(String(80))
    contact_information: Mapped[str | None] = mapped_column(String(120))
    comments: Mapped[str | None] = mapped_column(Text)
    is_draft: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[str | None] = mapped_column(String(80))
    office: Mapped[Office] = relationship()
    service: Mapped[Service] = relationship()
