"""The dashboard of an archive: passes packages on from its storage service."""

import os

import django
import requests
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse, StreamingHttpResponse
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
CHUNK = 1024 * 1024
settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="x")
django.setup()
storage = requests.Session()


def stream(payload, name):
    """Hands the package on without reading all of it."""
    parts = payload.iter_content(CHUNK) if FIXED else payload  # CAUSE
    response = StreamingHttpResponse(parts, content_type=payload.headers["content-type"])  # CAUSE
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def download(_request, package):
    payload = storage.get(f"{os.environ['OTHER']}/packages/{package}", stream=True, timeout=10)
    if payload.status_code != 200:
        return JsonResponse({"message": f"storage responded {payload.status_code}"}, status=502)
    return stream(payload, f"{package}.json")


def packages(_request):
    return JsonResponse({"packages": [f"aip-{n}" for n in range(20)]})


urlpatterns = [path("packages", packages), path("packages/<slug:package>/download", download)]
app = get_wsgi_application()
