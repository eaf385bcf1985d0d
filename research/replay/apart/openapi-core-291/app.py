"""Requests checked against an OpenAPI document, with formats of the project's own."""

import os
from copy import copy, deepcopy

from flask import Flask, jsonify, request
from jsonschema import Draft202012Validator

FIXED = os.environ.get("FIXED") == "1"
FORMATS = deepcopy(Draft202012Validator.FORMAT_CHECKER)
SCHEMA = {
    "type": "object",
    "required": ["name", "colour"],
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "colour": {"type": "string", "format": "colour"},
        "born": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
app = Flask(__name__)


def is_colour(value):
    return str(value).startswith("#")


def format_checker():
    if FIXED:
        checker = copy(FORMATS)
        checker.checkers = dict(FORMATS.checkers)
    else:
        checker = deepcopy(FORMATS)  # CAUSE
    checker.checks("colour")(is_colour)
    return checker


def problems(value):
    validator = Draft202012Validator(SCHEMA, format_checker=format_checker())
    return [error.message for error in validator.iter_errors(value)]


@app.post("/pets")
def add_pet():
    found = problems(request.get_json())
    return jsonify(accepted=not found, problems=found)


@app.get("/pets/<int:number>")
def pet(number):
    return jsonify(id=number, name=f"Pet {number}", colour="#fff")
