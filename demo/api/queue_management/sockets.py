"""Live updates over socket.io."""

from flask import Flask, request
from flask_socketio import SocketIO, join_room

from .auth import get_token_guard
from .tokens import InvalidToken, ProviderUnavailable

COOKIE = "oidc-jwt"

# No long polling: the requests of one polling session would reach different workers.
socketio = SocketIO(
    path="/api/v1/socket.io",
    async_mode="threading",
    transports=["websocket"],
    cors_allowed_origins="*",
)


def init_app(app: Flask) -> None:
    """Serve socket.io beside the application's routes."""
    socketio.init_app(app)
    app.wsgi_app = _WithoutCompression(app.wsgi_app)


class _WithoutCompression:
    """Accepts no extension of WebSocket: what is measured is the message, not how well it packs."""

    def __init__(self, wsgi_app):
        self._wsgi_app = wsgi_app

    def __call__(self, environ, start_response):
        environ.pop("HTTP_SEC_WEBSOCKET_EXTENSIONS", None)
        return self._wsgi_app(environ, start_response)


@socketio.on("joinRoom")
def join_staff_room(_data: object = None) -> dict:
    """Subscribe a member of staff to live updates; the token comes in a cookie."""
    try:
        claims = get_token_guard().validate(request.cookies.get(COOKIE))
    except (InvalidToken, ProviderUnavailable) as error:
        return {"success": False, "message": str(error)}
    room = "staff"
    join_room(room)
    return {"success": True, "room": room, "user": claims.get("preferred_username")}


@socketio.on("echo")
def echo(*args: object) -> tuple:
    """Give back in the acknowledgement what was sent; whoever is connected may ask."""
    return args
