"""Routes below ``/api/v1``."""

from flask import Blueprint, Flask

from . import (
    appointments,
    catalog,
    citizens,
    content,
    drafts,
    echo,
    emails,
    health,
    lookups,
    slots,
    tasks,
    websocket_echo,
)

_MODULES = (
    appointments,
    catalog,
    citizens,
    content,
    drafts,
    echo,
    emails,
    health,
    lookups,
    slots,
    tasks,
    websocket_echo,
)


def init_app(app: Flask) -> None:
    """Register all routes."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for module in _MODULES:
        api.register_blueprint(module.blueprint)
    app.register_blueprint(api)
