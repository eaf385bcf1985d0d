"""Takes queries as JSON, checks them against a schema, fills in defaults, and answers from a small table."""

import os

from flask import Flask, jsonify, request
from jsonschema import Draft7Validator, FormatChecker, validators

FIXED = os.environ.get("FIXED") == "1"
CONDITION = {"type": "array", "minItems": 3, "maxItems": 3}
SCHEMA = {
    "type": "object",
    "properties": {
        "selected_columns": {"type": "array", "items": {"type": "string"}, "default": []},
        "conditions": {"type": "array", "items": CONDITION, "default": []},
        "groupby": {"type": "array", "items": {"type": "string"}, "default": []},
        "limit": {"type": "integer", "minimum": 0, "maximum": 10000, "default": 1000},
        "offset": {"type": "integer", "minimum": 0, "default": 0},
        "project": {"type": "integer"},
    },
    "required": ["project"],
    "additionalProperties": False,
}
ROWS = [{"project": row % 3, "level": ["error", "info"][row % 2], "duration": row * 31 % 97} for row in range(120)]

app = Flask(__name__)


def with_defaults(validator, properties, instance, schema):
    for name, part in properties.items():
        if "default" in part:
            instance.setdefault(name, part["default"])
    yield from Draft7Validator.VALIDATORS["properties"](validator, properties, instance, schema)


FILLING = validators.extend(Draft7Validator, {"properties": with_defaults})


def checked(body):
    if FIXED:
        FILLING(SCHEMA, format_checker=FormatChecker()).validate(body)
    else:
        filling = validators.extend(Draft7Validator, {"properties": with_defaults})  # CAUSE
        filling(SCHEMA, format_checker=FormatChecker()).validate(body)
    return body


@app.post("/query")
def query():
    asked = checked(request.get_json())
    columns = asked["selected_columns"] or ["project"]
    rows = [row for row in ROWS if row["project"] == asked["project"]]
    for column, _, value in asked["conditions"]:
        rows = [row for row in rows if row[column] == value]
    return jsonify(data=[{column: row[column] for column in columns} for row in rows[: asked["limit"]]])
