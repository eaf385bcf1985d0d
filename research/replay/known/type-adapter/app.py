"""Attributes of a model of infrastructure, whose values are validated by their type."""

import functools
import os
from typing import Annotated

from flask import Flask, jsonify, request
from pydantic import Field, TypeAdapter, ValidationError

app = Flask(__name__)
TYPES = {
    "port": Annotated[int, Field(ge=1, le=65535)],
    "names": list[Annotated[str, Field(min_length=1, max_length=64)]],
    "routes": dict[str, tuple[int, bool] | None],
}


def make_adapter(name):
    return TypeAdapter(TYPES[name])


KEPT = functools.cache(make_adapter) if os.environ.get("FIXED") == "1" else None


class Attribute:
    """A value with the name of its type."""

    def __init__(self, name, value):
        self.name = name
        self.value = value

    def validate(self):
        adapter = KEPT(self.name) if KEPT else TypeAdapter(TYPES[self.name])  # CAUSE
        return adapter.validate_python(self.value)


@app.post("/resources")
def check_resources():
    checked = []
    for resource in request.get_json():
        try:
            checked.append({name: Attribute(name, value).validate() for name, value in resource.items()})
        except ValidationError as error:
            return jsonify(errors=error.error_count()), 422
    return jsonify(checked)
