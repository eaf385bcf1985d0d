"""Gives back each message of a WebSocket, without socket.io around it."""

from flask import Blueprint, Response, request
from simple_websocket import ConnectionClosed, Server

blueprint = Blueprint("websocket_echo", __name__)


class _Finished(Response):
    """Tells gunicorn that the connection was used up and has no HTTP answer."""

    def __call__(self, _environ, _start_response):
        raise StopIteration()


@blueprint.route("/echo/ws", websocket=True)
def echo_messages():
    """Holds a thread of its worker for as long as the WebSocket is open."""
    websocket = Server.accept(request.environ)
    try:
        while True:
            websocket.send(websocket.receive())
    except ConnectionClosed:
        return _Finished()
