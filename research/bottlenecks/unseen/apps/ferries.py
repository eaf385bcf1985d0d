"""Ferry timetables: every request asks the operator, who serves five at a time; greenlets are many."""
import functools
import os

import requests
from flask import Flask
from requests.adapters import HTTPAdapter

app = Flask(__name__)
session = requests.Session()
session.mount("http://", HTTPAdapter(pool_maxsize=64))


def from_operator(view):
    @functools.wraps(view)
    def with_departures(port):
        response = session.get(os.environ["OTHER"], params={"port": port}, timeout=30)
        response.raise_for_status()
        return view(port, response.json()["values"])

    return with_departures


@app.get("/ports/<port>/departures")
@from_operator
def departures(port, values):
    return {"port": port, "departures": [f"{6 + value:02d}:15" for value in values]}
