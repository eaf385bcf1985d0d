"""Books of a library; a client chooses their fields."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{os.environ['FOLDER']}/library.db"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["rest_framework"],
    MIDDLEWARE=[],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
)
django.setup()

from django.db import connection, models  # noqa: E402
from django.utils.functional import cached_property  # noqa: E402
from rest_framework import generics, serializers  # noqa: E402


class Book(models.Model):
    title = models.CharField(max_length=200)
    author = models.CharField(max_length=200)
    isbn = models.CharField(max_length=20)
    pages = models.IntegerField()
    shelf = models.CharField(max_length=20)
    lent = models.BooleanField(default=False)
    notes = models.TextField(default="")

    class Meta:
        app_label = "library"
        ordering = ["id"]


with connection.schema_editor() as editor:
    editor.create_model(Book)
Book.objects.bulk_create(
    Book(title=f"Book {n}", author=f"Author {n % 7}", isbn=f"978-{n}", pages=n, shelf=f"{n % 9}") for n in range(25)
)
connection.close()


class ChosenFields:
    def chosen(self, fields):
        asked = self.context["request"].query_params.get("fields")
        for name in set(fields) - set(asked.split(",") if asked else fields):
            fields.pop(name)
        return fields

    @(cached_property if FIXED else property)
    def fields(self):
        return self.chosen(super().fields)  # CAUSE


class BookSerializer(ChosenFields, serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = ["id", "title", "author", "isbn", "pages", "shelf", "lent", "notes"]


class Books(generics.ListAPIView):
    queryset = Book.objects.all()
    serializer_class = BookSerializer


urlpatterns = [path("books/", Books.as_view())]
app = get_wsgi_application()
