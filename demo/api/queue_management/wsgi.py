"""Entry point for gunicorn: ``gunicorn queue_management.wsgi:app``."""

from . import create_app

app = create_app()
