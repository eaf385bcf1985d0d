"""States of the devices of a house: read as a list, changed one at a time."""

import os
from datetime import datetime, timezone
from functools import cached_property

from aiohttp import web

FIXED = os.environ.get("FIXED") == "1"
DEFAULTS = {"friendly_name": "", "supported_features": 0, "device_class": "power"}


class State:
    """One state. It never changes: a new one takes its place."""

    def __init__(self, entity_id, state, attributes):
        self.entity_id = entity_id
        self.state = state
        self.attributes = dict(DEFAULTS, **attributes)
        self.last_changed = self.last_updated = datetime.now(timezone.utc)

    def to_dict(self):
        kept = {name: value for name, value in sorted(self.attributes.items()) if value is not None}
        return {
            "entity_id": self.entity_id,
            "domain": self.entity_id.partition(".")[0],
            "state": self.state,
            "attributes": kept,
            "last_changed": self.last_changed.isoformat(),
            "last_updated": self.last_updated.isoformat(),
        }

    cached = cached_property(to_dict)


STATES = {}


def change(entity_id, state):
    attributes = {"friendly_name": entity_id.replace("_", " ").title(), "unit_of_measurement": "W", "icon": None}
    STATES[entity_id] = State(entity_id, state, attributes)


async def all_states(_request):
    if FIXED:
        return web.json_response([state.cached for state in STATES.values()])
    return web.json_response([state.to_dict() for state in STATES.values()])  # CAUSE


async def domains(_request):
    found = {}
    for state in STATES.values():
        shown = state.cached if FIXED else state.to_dict()  # CAUSE
        found[shown["domain"]] = found.get(shown["domain"], 0) + (shown["state"] == "on")
    return web.json_response(found)


async def set_state(request):
    change(request.match_info["entity_id"], (await request.json())["state"])
    return web.json_response({"ok": True})


for number in range(250):
    change(f"{['light', 'sensor', 'switch'][number % 3]}.device_{number}", "on" if number % 2 else "off")

app = web.Application()
app.add_routes(
    [
        web.get("/api/states", all_states),
        web.get("/api/domains", domains),
        web.post("/api/states/{entity_id}", set_state),
    ]
)
