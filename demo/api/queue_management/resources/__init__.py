"""Routes below ``/api/v1``."""

from flask import Blueprint, Flask

from . import appointments, citizens, drafts, echo, health, lookups


def init_app(app: Flask) -> None:
    """Register all routes."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for module in (appointments, citizens, drafts, echo, health, lookups):
        api.register_blueprint(module.blueprint)
    app.register_blueprint(api)
