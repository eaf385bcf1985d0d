"""A reference of creatures with their actions and traits, in Django REST framework."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(os.environ["FOLDER"], "reference.sqlite"),
        }
    },
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    ROOT_URLCONF=__name__,
    SECRET_KEY="replay",
)
django.setup()
from rest_framework import generics, serializers  # noqa: E402 (settings come first)


class Document(models.Model):
    title = models.TextField()
    class Meta:
        app_label = "reference"


class Creature(models.Model):
    name = models.TextField()
    document = models.ForeignKey(Document, models.CASCADE)
    class Meta:
        app_label = "reference"


class Action(models.Model):
    creature = models.ForeignKey(Creature, models.CASCADE, related_name="actions")
    name = models.TextField()
    class Meta:
        app_label = "reference"


class ActionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Action
        fields = ["name"]


class CreatureSerializer(serializers.ModelSerializer):
    document = serializers.CharField(source="document.title")
    actions = ActionSerializer(many=True)
    class Meta:
        model = Creature
        fields = ["name", "document", "actions"]


class CreatureList(generics.ListAPIView):
    serializer_class = CreatureSerializer
    def get_queryset(self):
        found = Creature.objects.order_by("name")[:50]  # CAUSE
        if os.environ.get("FIXED") == "1":
            found = Creature.objects.order_by("name").select_related("document").prefetch_related("actions")[:50]
        return found


urlpatterns = [path("creatures", CreatureList.as_view())]
with connection.schema_editor() as editor:
    for model in (Document, Creature, Action):
        editor.create_model(model)
Document.objects.bulk_create([Document(title=f"Book {n}") for n in range(5)])
Creature.objects.bulk_create([Creature(name=f"creature {n:03}", document_id=1 + n % 5) for n in range(200)])
Action.objects.bulk_create([Action(creature_id=1 + n % 200, name=f"action {n}") for n in range(600)])
connection.close()
app = get_wsgi_application()
