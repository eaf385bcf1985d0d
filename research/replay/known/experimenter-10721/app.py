"""Experiments of a browser: a list made of many small included templates."""

import os
from pathlib import Path

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.shortcuts import render
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
TEMPLATES = Path(os.environ["FOLDER"]) / "templates"
LOADER = "django.template.loaders.filesystem.Loader"
for name, text in {
    "base.html": "<title>{% block title %}{% endblock %}</title>{% include 'header.html' %}{% block content %}{% endblock %}",
    "header.html": "<nav>{% for link in links %}<a href='/{{ link }}'>{{ link|title }}</a>{% endfor %}</nav>",
    "list.html": "{% extends 'base.html' %}{% block title %}Experiments{% endblock %}{% block content %}"
    "{% for experiment in experiments %}{% include 'row.html' %}{% endfor %}{% endblock %}",
    "row.html": "<tr>{% include 'name.html' %}{% include 'status.html' with status=experiment.status %}</tr>",
    "name.html": "<td><a href='/experiments/{{ experiment.id }}'>{{ experiment.name|truncatechars:30 }}</a></td>",
    "status.html": "<td class='{% if status == 'live' %}on{% else %}off{% endif %}'>{{ status|upper }}</td>",
}.items():
    TEMPLATES.mkdir(exist_ok=True)
    (TEMPLATES / name).write_text(text)
settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [TEMPLATES],
            "OPTIONS": {"loaders": [("django.template.loaders.cached.Loader", [LOADER])] if FIXED else [LOADER]},
        }
    ],
)
django.setup()
EXPERIMENTS = [{"id": n, "name": f"experiment {n}", "status": ["draft", "live", "ended"][n % 3]} for n in range(25)]


def experiments(request):
    context = {"experiments": EXPERIMENTS, "links": ["experiments", "features", "rollouts"]}
    return render(request, "list.html", context)  # CAUSE


def experiment(_request, number):
    return JsonResponse(EXPERIMENTS[number])


urlpatterns = [path("experiments", experiments), path("experiments/<int:number>", experiment)]
app = get_wsgi_application()
