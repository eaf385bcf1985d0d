"""Merges news feeds for a start page."""

import os
from functools import cached_property

import requests
from flask import Flask, g

app = Flask(__name__)


class FeedReader:
    sources = ("sports",)

    @cached_property
    def session(self):
        return requests.Session()

    def headlines(self):
        return [self.read(source) for source in self.sources]

    def read(self, source):
        response = self.session.get(os.environ["OTHER"], params={"feed": source}, timeout=30)
        return {"source": source, "items": response.json()["value"]}


@app.before_request
def make_reader():
    g.reader = FeedReader()


@app.teardown_request
def close_reader(error):
    g.reader.session.close()


@app.get("/start")
def start():
    return {"feeds": g.reader.headlines()}
