"""Settings of a chat: the page offers the languages, each under its own name."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path
from django.utils import translation

FIXED = os.environ.get("FIXED") == "1"
settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="replay", USE_I18N=True)
django.setup()
CODES = ["bg", "ca", "cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr"]


def language_list():
    found = []
    for code in CODES:
        with translation.override(code):  # CAUSE
            name = translation.gettext(translation.get_language_info(code)["name"])  # CAUSE
            found.append({"code": code, "name": name, "example": translation.gettext("January")})  # CAUSE
    return found


LANGUAGES = language_list()


def languages():
    return LANGUAGES if FIXED else language_list()  # CAUSE


def home(_request):
    page = {"default": languages()[5], "choices": languages()}
    page["names"] = {entry["code"]: entry["name"] for entry in languages()}
    return JsonResponse(page)


def version(_request):
    return JsonResponse({"version": "1.6"})


urlpatterns = [path("home", home), path("version", version)]
app = get_wsgi_application()
