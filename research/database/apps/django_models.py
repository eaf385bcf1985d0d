"""Django's settings, and the tables of schema.sql for it."""
import os
from urllib.parse import urlsplit

import django
from django.conf import settings

URL = urlsplit(os.environ["DATABASE_URL"])
DATABASE = {"ENGINE": "django.db.backends.postgresql", "HOST": URL.hostname, "PORT": URL.port}
DATABASE |= {"USER": URL.username, "NAME": URL.path[1:]}
SMALL = {"OPTIONS": {"pool": {"min_size": 1, "max_size": 1}}}
settings.configure(
    SECRET_KEY="for tests only",
    ROOT_URLCONF="django_rest",
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=["rest_framework"],
    DATABASES={"default": {**DATABASE, "CONN_MAX_AGE": None}, "small": {**DATABASE, **SMALL}},
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
)
django.setup()

from django.db import models  # noqa: E402


class Author(models.Model):
    name = models.TextField()

    class Meta:
        app_label, db_table = "shop", "author"


class Book(models.Model):
    title = models.TextField()
    price = models.IntegerField()
    author = models.ForeignKey(Author, on_delete=models.CASCADE)

    class Meta:
        app_label, db_table = "shop", "book"
