"""Surveys, with results that a statistics service counts."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "surveys.settings")
app = get_wsgi_application()
