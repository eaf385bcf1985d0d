"""Services of a network, each with the machine that it runs on."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
REST = {"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"], "UNAUTHENTICATED_USER": None}
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{os.environ['FOLDER']}/net.db"}},
    INSTALLED_APPS=["rest_framework"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], **REST},
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
)
django.setup()

from django.db import connection, models  # noqa: E402
from rest_framework import generics, serializers  # noqa: E402


class Machine(models.Model):
    name = models.CharField(max_length=80)
    cores = models.IntegerField(default=2)
    memory = models.IntegerField(default=2048)

    class Meta:
        app_label = "net"


class Service(models.Model):
    name = models.CharField(max_length=80)
    port = models.IntegerField()
    parent = models.ForeignKey(Machine, models.CASCADE)

    class Meta:
        app_label = "net"


class MachineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Machine
        fields = ["id", "name", "cores", "memory"]


class ParentField(serializers.Field):
    known = None

    def to_representation(self, machine):
        if FIXED:
            self.known = self.known or MachineSerializer(context=self.context)
            return self.known.to_representation(machine)
        return MachineSerializer(machine, context=self.context).data  # CAUSE


class ServiceSerializer(serializers.ModelSerializer):
    parent = ParentField()

    class Meta:
        model = Service
        fields = ["id", "name", "port", "parent"]


class Services(generics.ListAPIView):
    queryset = Service.objects.select_related("parent").order_by("id")
    serializer_class = ServiceSerializer


with connection.schema_editor() as editor:
    editor.create_model(Machine)
    editor.create_model(Service)
machines = Machine.objects.bulk_create(Machine(name=f"vm {n}") for n in range(30))
Service.objects.bulk_create(Service(name=f"http {n}", port=8000 + n, parent=machines[n % 30]) for n in range(100))
connection.close()
urlpatterns = [path("services/", Services.as_view())]
app = get_wsgi_application()
