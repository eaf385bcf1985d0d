"""Documents with versions: an old version is put together from the newest one and what it replaced."""

import copy
import os

from flask import Flask, abort, jsonify, request

FIXED = os.environ.get("FIXED") == "1"
app = Flask(__name__)


def make(number):
    chapters = [{"title": f"chapter {n}", "words": list(range(12)), "notes": {"by": "ann", "n": n}} for n in range(60)]
    return {"_id": number, "_version": 5, "title": f"book {number}", "chapters": chapters}


LATEST = {number: make(number) for number in range(20)}
SHADOWS = {number: [{"title": f"book {number}, draft {v}", "_version": v} for v in range(1, 5)] for number in LATEST}


def old_document(document, shadow):
    old = {} if FIXED else copy.deepcopy(document)  # CAUSE
    if FIXED:
        old.update(document)
    old.update(shadow)
    old["_latest_version"] = document["_version"]
    return old


def summary(document):
    return {"title": document["title"], "version": document["_version"], "chapters": len(document["chapters"])}


@app.get("/books/<int:number>/versions")
def versions(number):
    if number not in LATEST:
        abort(404)
    document = LATEST[number]
    least = int(request.args.get("from", "1"))
    chosen = [shadow for shadow in SHADOWS[number] if shadow["_version"] >= least]
    return jsonify([summary(old_document(document, shadow)) for shadow in chosen])


@app.get("/books")
def books():
    return jsonify([document["title"] for document in LATEST.values()])
