"""A router of requests to model workers, with a large index of cached prefixes."""

import gc
import os

from flask import Flask, jsonify

app = Flask(__name__)


class Node:
    """One block of tokens in the tree of prefixes."""

    def __init__(self, number):
        self.tokens = [number, number + 1]
        self.children = {}
        self.parent = None


def build_tree(count):
    nodes = [Node(number) for number in range(count)]
    for number, node in enumerate(nodes[1:], 1):
        node.parent = nodes[number // 8]
        node.parent.children[number] = node
    return nodes


TREE = build_tree(250_000)
if os.environ.get("FIXED") == "1":
    gc.collect()
    gc.freeze()


def plan(number):
    """Steps of a request; they refer to each other, as jobs and their batch do."""
    batch = {"jobs": []}
    for at in range(60):
        node = TREE[(number * 31 + at) % len(TREE)]
        batch["jobs"].append({"batch": batch, "tokens": [*node.tokens], "state": ["waiting"]})  # CAUSE
    return batch


def score(number):
    total = number
    for at in range(30_000):
        total = (total * 31 + at) % 65_521
    return total


@app.get("/generate/<int:number>")
def generate(number):
    batch = plan(number)
    recent.append(batch)
    del recent[:-4]
    return jsonify(jobs=len(batch["jobs"]), score=score(number))


recent = []
