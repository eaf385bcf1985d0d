"""Queue management: citizens, appointments, services and offices behind a JSON API."""

from flask import Flask

from . import database, errors, resources, sockets
from .auth import TokenGuard
from .config import Config


def create_app(config: Config | None = None) -> Flask:
    """Build the application; settings come from the environment unless given."""
    config = config or Config.from_env()
    app = Flask(__name__)
    app.config.from_object(config)
    app.extensions["token_guard"] = TokenGuard.from_config(config)
    database.init_app(app, config)
    errors.init_app(app)
    resources.init_app(app)
    sockets.init_app(app)
    return app
