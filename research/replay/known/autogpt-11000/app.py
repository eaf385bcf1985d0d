"""Blocks that agents are made of; the builder asks for all of them with their schemas."""

import functools
import json
import os

from fastapi import FastAPI, Response
from pydantic import BaseModel, Field, create_model

FIXED = os.environ.get("FIXED") == "1"
app = FastAPI()


class Credentials(BaseModel):
    provider: str = Field(description="who issues the key")
    key: str = Field(default="", description="secret")
    scopes: list[str] = []


def define(number):
    """A block: what it takes, what it gives and what it costs."""
    takes = create_model(
        f"Block{number}Input",
        text=(str, Field(description=f"input of block {number}", max_length=2000)),
        limit=(int, Field(default=10, ge=1, le=100)),
        credentials=(Credentials, ...),
        tags=(list[str], []),
    )
    gives = create_model(f"Block{number}Output", result=(str, ...), error=(str | None, None))
    return type(f"Block{number}", (), {"takes": takes, "gives": gives, "cost": number % 5})


BLOCKS = {f"block-{n}": define(n) for n in range(40)}


def describe(name, block):
    return {
        "id": name,
        "name": block.__name__,
        "inputSchema": block.takes.model_json_schema(),  # CAUSE
        "outputSchema": block.gives.model_json_schema(),  # CAUSE
        "costs": [{"amount": block.cost, "type": "run"}],
    }


def list_blocks():
    return [describe(name, block) for name, block in BLOCKS.items()]  # CAUSE


@functools.cache
def serialized_blocks():
    return json.dumps(list_blocks()).encode()


if FIXED:

    @app.get("/blocks")
    def blocks():
        return Response(serialized_blocks(), media_type="application/json", headers={"cache-control": "max-age=3600"})

else:

    @app.get("/blocks")
    def blocks():
        return list_blocks()  # CAUSE


@app.get("/blocks/{name}")
def block(name: str):
    return {"id": name, "name": BLOCKS[name].__name__, "cost": BLOCKS[name].cost}
