"""Staff directory in front of the company's directory server."""

import os

import bottle

from directory_clients import ClientPool

app = bottle.Bottle()
clients = ClientPool(os.environ["OTHER"], size=16 if os.environ.get("FIXED") else 2)


class RequestId:
    """Echoes the caller's request id."""

    api = 2
    name = "request-id"

    def apply(self, callback, route):
        def wrapper(*args, **kwargs):
            bottle.response.set_header("X-Request-Id", bottle.request.get_header("X-Request-Id", "-"))
            return callback(*args, **kwargs)

        return wrapper


app.install(RequestId())


@app.get("/people/<uid>")
def person(uid):
    with clients.borrow() as client:
        entry = client.find(uid)
    return {"uid": uid, "room": entry["value"]}
