"""The rota of a hospital: Django, and a unit of work that takes a connection of psycopg's pool."""
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path
from psycopg_pool import ConnectionPool

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="of a bench", USE_TZ=True)

SIZE = 12 if os.environ.get("FIXED") else 2
pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=SIZE, max_size=SIZE, open=True)


class UnitOfWork:
    def __enter__(self):
        self.connection = pool.getconn()
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.connection.rollback()
        else:
            self.connection.commit()
        pool.putconn(self.connection)

    def nurses_on(self, ward):
        query = "SELECT n FROM generate_series(1, 5) AS n, pg_sleep(0.03) WHERE n <= %s"
        return [row[0] for row in self.connection.execute(query, [ward])]


def shift(request, ward):
    with UnitOfWork() as work:
        return JsonResponse({"ward": ward, "nurses": work.nurses_on(ward)})


urlpatterns = [path("wards/<int:ward>/", shift)]
app = get_wsgi_application()
