"""Lockers at stations: opens one through a controller that takes one command at a time."""

import os
import threading

import urllib3
from flask import Flask
from flask.views import MethodView


class Controller:
    def __init__(self, url):
        self.url = url
        self.line = threading.Lock()
        self.http = urllib3.PoolManager(maxsize=8)

    def send(self, command, box):
        with self.line:
            answer = self.http.request("GET", self.url, fields={"command": command, "box": box})
        return answer.json()["ok"]


class Locker(MethodView):
    init_every_request = False

    def __init__(self, controller):
        self.controller = controller

    def get(self, box):
        return {"box": box, "open": self.controller.send("open", box)}


app = Flask(__name__)
app.add_url_rule(
    "/lockers/<int:box>", view_func=Locker.as_view("locker", Controller(os.environ["OTHER"]))
)
