"""Citizens who wait, with what they came for."""

from flask import Blueprint, jsonify
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from .. import models, schemas
from ..auth import requires_auth
from ..database import get_session

blueprint = Blueprint("citizens", __name__)

_PAGE_SIZE = 150


@blueprint.get("/citizens/")
@requires_auth
def list_citizens():
    requests = selectinload(models.Citizen.service_requests)
    query = (
        select(models.Citizen)
        .options(
            requests.joinedload(models.ServiceRequest.service).joinedload(models.Service.category),
            requests.joinedload(models.ServiceRequest.channel),
        )
        .order_by(models.Citizen.start_time)
        .limit(_PAGE_SIZE)
    )
    rows = get_session().scalars(query)
    return jsonify(citizens=[schemas.citizen(row) for row in rows])
