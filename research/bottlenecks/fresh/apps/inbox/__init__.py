"""Long polling for new messages of a user."""

from flask import Flask

from .views import bp


def create_app():
    application = Flask("inbox")
    application.register_blueprint(bp)
    return application


app = create_app()
