"""Free appointments of a clinic, from its old planning system."""

import os

from bottle import Bottle

from .planning import Planning

app = Bottle()
planning = Planning(os.environ["OTHER"])


@app.get("/appointments/<day>")
def appointments(day):
    return {"day": day, "free": planning.free_slots(day)}
