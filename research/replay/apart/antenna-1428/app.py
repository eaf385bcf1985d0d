"""Lists of taxa, each with its size and with what the user may do with it."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{os.environ['FOLDER']}/taxa.db"}},
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
from rest_framework import generics, serializers  # noqa: E402


class Grant(models.Model):
    user, project, name = models.IntegerField(), models.IntegerField(), models.CharField(max_length=40)

    class Meta:
        app_label = "taxa"


class TaxaList(models.Model):
    name, project = models.CharField(max_length=80), models.IntegerField()

    class Meta:
        app_label, ordering = "taxa", ["id"]


with connection.schema_editor() as editor:
    editor.create_model(Grant)
    editor.create_model(TaxaList)
NAMES = ["view_taxalist", "change_taxalist", "delete_taxalist"]
Grant.objects.bulk_create(Grant(user=n % 9, project=n % 4, name=NAMES[n % 3]) for n in range(180))
TaxaList.objects.bulk_create(TaxaList(name=f"List {n}", project=n % 4) for n in range(80))
connection.close()


class TaxaListSerializer(serializers.ModelSerializer):
    permissions = serializers.SerializerMethodField()

    class Meta:
        model, fields = TaxaList, ["id", "name", "permissions"]

    def get_permissions(self, row):
        known = self.context.setdefault("grants", {}) if FIXED else {}
        if row.project not in known:
            grants = Grant.objects.filter(user=self.context["view"].kwargs["user"], project=row.project)
            known[row.project] = sorted(set(grants.values_list("name", flat=True)))  # CAUSE
        return known[row.project]


class TaxaLists(generics.ListAPIView):
    serializer_class = TaxaListSerializer

    def get_queryset(self):
        return TaxaList.objects.filter(project=self.kwargs["project"])


urlpatterns = [path("users/<int:user>/projects/<int:project>/taxa/lists/", TaxaLists.as_view())]
app = get_wsgi_application()
