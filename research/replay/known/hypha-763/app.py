"""Submissions of a fund: an overview with the number in each state, and one submission."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import JsonResponse
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(os.environ["FOLDER"], "fund.sqlite"),
        }
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="replay",
)
django.setup()
STATES = ["draft", "review", "accepted"]


class Submission(models.Model):
    title = models.TextField()
    summary = models.TextField()
    state = models.TextField(db_index=True)

    class Meta:
        app_label = "fund"


def number_of(state):
    found = Submission.objects.filter(state=state)
    if FIXED:
        return found.count()
    return len(found)  # CAUSE


def overview(_request):
    return JsonResponse({state: number_of(state) for state in STATES})


def submission(_request, number):
    found = Submission.objects.get(pk=number)
    return JsonResponse({"title": found.title, "state": found.state})


urlpatterns = [path("overview", overview), path("submissions/<int:number>", submission)]
with connection.schema_editor() as editor:
    editor.create_model(Submission)
Submission.objects.bulk_create(
    [Submission(title=f"Submission {n}", summary="why it matters " * 20, state=STATES[n % 3]) for n in range(600)]
)
connection.close()
app = get_wsgi_application()
