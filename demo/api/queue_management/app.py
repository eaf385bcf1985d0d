"""The web application, put together."""

from flask import Flask

from . import content, database, errors, resources, sockets
from .auth import TokenGuard
from .config import Config
from .tasks import flask_queues


def create_app(config: Config | None = None) -> Flask:
    """Build the application; settings come from the environment unless given."""
    config = config or Config.from_env()
    app = Flask(__name__)
    app.config.from_object(config)
    app.extensions["token_guard"] = TokenGuard.from_config(config)
    database.init_app(app, config)
    content.init_app(app, config)
    flask_queues.init_app(app, config)
    errors.init_app(app)
    resources.init_app(app)
    sockets.init_app(app)
    return app
