"""Entry point for WSGI servers: ``gunicorn queue_management.wsgi:app``."""

from .app import create_app

app = create_app()
