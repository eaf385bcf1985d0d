"""Queue management: citizens, appointments, services and offices behind a JSON API.

Imports nothing by itself, so that a worker process starts without the web application.
"""
