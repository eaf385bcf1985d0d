"""Time series of events for a chart: rows of a column store, with zeros where nothing happened."""

import json
import os
from datetime import datetime, timedelta, timezone

import dateutil.parser
import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
START = datetime(2022, 11, 1, tzinfo=timezone.utc)
ROLLUP = 300
# What the column store returned, as text.
ANSWER = json.dumps(
    [
        {"time": (START + timedelta(seconds=ROLLUP * bucket)).isoformat(), "count": bucket * 7 % 53, "p95": bucket % 11}
        for bucket in range(0, 288, 2)
    ]
)

settings.configure(
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
)
django.setup()


def bucket_of(row):
    if FIXED:
        return int(datetime.fromisoformat(row["time"]).timestamp())
    return int(dateutil.parser.parse(row["time"]).timestamp())  # CAUSE


def zerofill(rows):
    by_bucket = {bucket_of(row): row for row in rows}
    first = int(START.timestamp())
    for bucket in range(first, first + 288 * ROLLUP, ROLLUP):
        yield by_bucket.get(bucket, {"count": 0, "p95": 0}) | {"bucket": bucket}


def events_stats(request):
    field = request.GET.get("yAxis", "count")
    series = list(zerofill(json.loads(ANSWER)))
    return JsonResponse(
        {
            "data": [[point["bucket"], [{"count": point[field]}]] for point in series],
            "totals": {"count": sum(point["count"] for point in series)},
        }
    )


urlpatterns = [path("api/0/events-stats/", events_stats)]
app = get_wsgi_application()
