"""Notebooks: a list of titles, and one notebook with its content."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(os.environ["FOLDER"], "notebooks.sqlite"),
        }
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="replay",
)
django.setup()


class Notebook(models.Model):
    title = models.TextField()
    content = models.JSONField()
    text_content = models.TextField()

    class Meta:
        app_label = "notebooks"


def listed():
    found = Notebook.objects.order_by("-id")
    if os.environ.get("FIXED") == "1":
        found = found.defer("content", "text_content")
    return found[:30]


def notebooks(_request):
    return JsonResponse({"results": [{"id": one.id, "title": one.title} for one in listed()]})  # CAUSE


def notebook(_request, number):
    found = Notebook.objects.get(pk=number)
    return JsonResponse({"title": found.title, "content": found.content})


def node(number):
    return {"type": "paragraph", "attrs": {"id": number}, "content": [{"type": "text", "text": "insight " * 6}]}


urlpatterns = [path("notebooks", notebooks), path("notebooks/<int:number>", notebook)]
with connection.schema_editor() as editor:
    editor.create_model(Notebook)
Notebook.objects.bulk_create(
    [
        Notebook(title=f"Notebook {n}", content={"type": "doc", "content": [node(m) for m in range(60)]},
                 text_content="insight " * 360)
        for n in range(60)
    ]
)
connection.close()
app = get_wsgi_application()
