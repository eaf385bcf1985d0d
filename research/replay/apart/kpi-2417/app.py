"""Assets of a user: the list says of each asset which permissions it gives to whom."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import JsonResponse
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
database = {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(os.environ["FOLDER"], "assets.sqlite")}
settings.configure(ALLOWED_HOSTS=["*"], DATABASES={"default": database}, ROOT_URLCONF=__name__, SECRET_KEY="replay")
django.setup()


class Permission(models.Model):
    content_type = models.IntegerField()
    codename = models.TextField()

    class Meta:
        app_label = "assets"


class ObjectPermission(models.Model):
    asset = models.IntegerField()
    user = models.IntegerField()
    permission = models.IntegerField()

    class Meta:
        app_label = "assets"


def codenames_of(content_type):
    return dict(Permission.objects.filter(content_type=content_type).values_list("pk", "codename"))  # CAUSE


def permissions_of(asset, granted, kept):
    if FIXED:
        if "codenames" not in kept:
            kept["codenames"] = codenames_of(7)
        codenames = kept["codenames"]
    else:
        codenames = codenames_of(7)  # CAUSE
    return [[user, codenames[permission]] for of, user, permission in granted if of == asset]


def assets(_request):
    granted = list(ObjectPermission.objects.values_list("asset", "user", "permission"))
    kept = {}
    return JsonResponse({"assets": [{"uid": n, "permissions": permissions_of(n, granted, kept)} for n in range(30)]})


def asset(_request, number):
    granted = list(ObjectPermission.objects.filter(asset=number).values_list("asset", "user", "permission"))
    return JsonResponse({"uid": number, "permissions": permissions_of(number, granted, {})})


urlpatterns = [path("assets", assets), path("assets/<int:number>", asset)]
with connection.schema_editor() as editor:
    editor.create_model(Permission)
    editor.create_model(ObjectPermission)
Permission.objects.bulk_create([Permission(content_type=7, codename=f"do_{n}_asset") for n in range(12)])
ObjectPermission.objects.bulk_create(
    [ObjectPermission(asset=n % 30, user=n % 7, permission=n % 12 + 1) for n in range(120)]
)
connection.close()
app = get_wsgi_application()
