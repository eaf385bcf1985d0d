"""Opens the gates of a car park: each gate lets in one car at a time."""
import os
import threading
from contextlib import contextmanager

import requests
from flask import Flask, jsonify

CONTROLLER = os.environ["OTHER"]
GATES = 16 if os.environ.get("FIXED") else 2

app = Flask(__name__)


class GateKeeper:
    """Hands out free gates, and takes them back."""

    def __init__(self, gates: int) -> None:
        self._free = list(range(1, gates + 1))
        self._changed = threading.Condition()

    @contextmanager
    def free_gate(self):
        with self._changed:
            while not self._free:
                self._changed.wait()
            gate = self._free.pop()
        try:
            yield gate
        finally:
            with self._changed:
                self._free.append(gate)
                self._changed.notify()


keeper = GateKeeper(GATES)


def open_gate(gate: int, plate: str) -> str:
    response = requests.get(
        f"{CONTROLLER}gates/{gate}/open", params={"plate": plate}, timeout=10
    )
    response.raise_for_status()
    return response.json()["status"]


@app.get("/entries/<plate>")
def enter(plate: str):
    with keeper.free_gate() as gate:
        status = open_gate(gate, plate)
    return jsonify(plate=plate, gate=gate, status=status)
