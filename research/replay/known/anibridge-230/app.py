"""A dashboard behind basic authentication, with users in a file as Apache writes it."""

import base64
import hashlib
import os

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

FIXED = os.environ.get("FIXED") == "1"
USERS = os.path.join(os.environ["FOLDER"], "htpasswd")


def hashed(password):
    return "{SHA}" + base64.b64encode(hashlib.sha1(password.encode(), usedforsecurity=False).digest()).decode()


with open(USERS, "w") as file:
    file.write("# users of the dashboard\n")
    file.writelines(f"user{n}:{hashed(f'word{n}')}\n" for n in range(400))

kept = {"changed": None, "users": {}}


def read_users():
    users = {}
    with open(USERS) as file:  # CAUSE
        for line in file:  # CAUSE
            name, colon, stored = line.strip().partition(":")  # CAUSE
            if colon and not name.startswith("#"):
                users[name] = stored
    return users


def users_of_now():
    if not FIXED:
        return read_users()  # CAUSE
    changed = os.stat(USERS).st_mtime_ns
    if kept["changed"] != changed:
        kept.update(changed=changed, users=read_users())
    return kept["users"]


class BasicAuth:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"").removeprefix(b"Basic ")
            name, _, password = base64.b64decode(given).decode().partition(":")
            if users_of_now().get(name) != hashed(password):
                await JSONResponse({"error": "log in"}, status_code=401)(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def status(_request):
    return JSONResponse({"profiles": [{"name": f"profile {n}", "running": n % 2 == 0} for n in range(5)]})


async def history(_request):
    return JSONResponse([{"id": n, "outcome": "synced"} for n in range(25)])


app = BasicAuth(Starlette(routes=[Route("/api/status", status), Route("/api/history", history)]))
