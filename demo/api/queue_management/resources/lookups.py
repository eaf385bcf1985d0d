"""Lists that change rarely: categories, channels, exam types, offices and their services."""

from flask import Blueprint, jsonify, request
from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from .. import models, schemas
from ..auth import requires_auth
from ..database import get_session
from ..errors import BadRequest
from .lookup_rows import find_office

blueprint = Blueprint("lookups", __name__)


@blueprint.get("/categories/")
@requires_auth
def list_categories():
    rows = get_session().scalars(select(models.Category).order_by(models.Category.category_name))
    return jsonify(categories=[schemas.category(row) for row in rows])


@blueprint.get("/channels/")
@requires_auth
def list_channels():
    rows = get_session().scalars(select(models.Channel).order_by(models.Channel.channel_name))
    return jsonify(channels=[schemas.channel(row) for row in rows])


@blueprint.get("/exam_types/")
@requires_auth
def list_exam_types():
    rows = get_session().scalars(select(models.ExamType).order_by(models.ExamType.exam_type_name))
    return jsonify(exam_types=[schemas.exam_type(row) for row in rows])


@blueprint.get("/offices/")
@requires_auth
def list_offices():
    query = select(models.Office).order_by(models.Office.office_id)
    rows = get_session().scalars(query)
    return jsonify(offices=[schemas.office(row) for row in rows])


@blueprint.get("/services/")
@requires_auth
def list_services():
    """All services, or those of one office."""
    session = get_session()
    with_category = joinedload(models.Service.category)
    if "office_id" not in request.args:
        query = select(models.Service).options(with_category).order_by(models.Service.service_id)
        rows = session.scalars(query).all()
    else:
        office = find_office(
            session,
            _office_id(),
            selectinload(
                models.Office.services,
            ).options(with_category),
        )
        rows = office.services
    return jsonify(services=[schemas.service(row) for row in rows])


def _office_id() -> int:
    text = request.args["office_id"]
    if not text.isdecimal():
        raise BadRequest(f"office_id '{text}' is no whole number.")
    return int(text)
