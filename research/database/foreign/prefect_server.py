"""Prefect's API, without what it runs beside requests, and with the companion."""
from loadflame_companion import wrap
from prefect.server.api.server import create_app

app = wrap(create_app(webserver_only=True))
