"""Live updates over socket.io."""

from flask import Flask, current_app, request
from flask_socketio import SocketIO, emit, join_room

from .auth import get_token_guard

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
def join_staff_room(_data: object = None) -> None:
    """Subscribe a member of staff to live updates; the token comes in a cookie.

    The acknowledgement is empty, whether or not it worked: the event says it.
    """
    get_token_guard().validate(request.cookies.get(COOKIE))
    join_room("staff")
    # spelt as in the public queue-management API
    emit("joinRoomSuccess", {"sucess": True})


@socketio.on_error()
def log_error(error: Exception) -> None:
    """All that is seen of an event that failed, as in the public queue-management API."""
    current_app.logger.error("Socket error %s", error)


@socketio.on("echo")
def echo(*args: object) -> tuple:
    """Give back in the acknowledgement what was sent; whoever is connected may ask."""
    return args
