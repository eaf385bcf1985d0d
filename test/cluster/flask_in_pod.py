"""A Flask app in a pod, one of which can be broken."""

import logging
import time

from flask import Flask, request

app = Flask(__name__)
log = logging.getLogger("orders")
state = {"broken": False}
ORDERS = {"1": "tea"}


def look_up(number):
    """Fail as an app does: below its view."""
    return ORDERS[number]


@app.get("/work")
def work():
    """Answer, or raise what the view does not expect."""
    if state["broken"]:
        return look_up(request.args.get("number", "2"))
    try:
        look_up("3")
    except KeyError:
        # What another pod says at the same time is of no request that failed.
        if request.args.get("loud"):
            log.exception("no such order, which is well")
    time.sleep(0.002)
    return "done"


@app.get("/break")
def break_down():
    """Fail from now on."""
    state["broken"] = request.args.get("now", "1") == "1"
    return ""


@app.get("/alive")
@app.get("/ready")
def ready():
    """Answer the probes."""
    return ""
