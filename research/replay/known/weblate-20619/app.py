"""The dashboard of translators: tabs with component lists, each loaded when it is opened."""

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
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{os.environ['FOLDER']}/tr.db"}},
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
)
django.setup()
LANGUAGES = ["cs", "de", "es", "fr"]


class ComponentList(models.Model):
    slug = models.CharField(max_length=40, unique=True)

    class Meta:
        app_label = "trans"


class Translation(models.Model):
    list = models.ForeignKey(ComponentList, models.CASCADE)
    component = models.CharField(max_length=40)
    language = models.CharField(max_length=8)
    strings = models.IntegerField()
    translated = models.IntegerField()

    class Meta:
        app_label = "trans"


def fetch_component_lists(slug=None):
    wanted = {"slug": slug} if slug else {}
    found = list(ComponentList.objects.filter(**wanted).order_by("slug"))  # CAUSE
    for one in found:
        one.translations = list(Translation.objects.filter(list=one).order_by("component"))  # CAUSE
        existing = {(translation.component, translation.language) for translation in one.translations}
        for component in {translation.component for translation in one.translations}:
            for language in LANGUAGES:
                if (component, language) not in existing:
                    one.translations.append(Translation(component=component, language=language, strings=0, translated=0))
    return [one for one in found if one.translations]


def describe(translation):
    done = translation.translated / translation.strings if translation.strings else 0
    return {"component": translation.component, "language": translation.language, "done": round(100 * done, 1)}


def tab(_request, slug):
    lists = fetch_component_lists(slug if FIXED else None)  # CAUSE
    shown = next(one for one in lists if one.slug == slug)
    return JsonResponse({"slug": slug, "rows": [describe(translation) for translation in shown.translations]})


def tabs(_request):
    return JsonResponse({"tabs": list(ComponentList.objects.values_list("slug", flat=True))})


urlpatterns = [path("dashboard/", tabs), path("dashboard/<slug:slug>/", tab)]
with connection.schema_editor() as editor:
    editor.create_model(ComponentList)
    editor.create_model(Translation)
for n in range(12):
    owner = ComponentList.objects.create(slug=f"list-{n}")
    Translation.objects.bulk_create(
        Translation(list=owner, component=f"c {m // 3}", language=LANGUAGES[m % 3], strings=100, translated=m)
        for m in range(60)
    )
connection.close()
app = get_wsgi_application()
