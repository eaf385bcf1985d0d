"""A socket.io server that prints a line for each handshake, event and request that it gets."""

import json
import threading
from urllib.parse import parse_qs

import socketio
from werkzeug.serving import WSGIRequestHandler, make_server

lock = threading.Lock()
sio = socketio.Server(async_mode="threading")

# Of the protocol itself, or different from run to run.
NOT_OURS = {"EIO", "transport", "t", "sid"}


def tell(line):
    with lock:
        print(line, flush=True)


def shown(value):
    return json.dumps(value, sort_keys=True, default=repr)


class Events(socketio.Namespace):
    def on_connect(self, _sid, environ, auth=None):
        query = parse_qs(environ.get("QUERY_STRING", ""))
        asked = {name: values for name, values in query.items() if name not in NOT_OURS}
        tell(
            f"socket {self.namespace} connect query {shown(asked)} auth {shown(auth)}"
            f" cookie {shown(environ.get('HTTP_COOKIE'))} x-test {shown(environ.get('HTTP_X_TEST'))}"
        )
        if self.namespace == "/refuses":
            raise socketio.exceptions.ConnectionRefusedError("you may not", {"code": 7})

    def on_disconnect(self, _sid, *_reason):
        pass

    def trigger_event(self, event, *args):
        if event not in ("connect", "disconnect"):
            tell(f"socket {self.namespace} {event} {shown(args[1:])}")
        return super().trigger_event(event, *args)

    def on_say(self, _sid, *_args):
        return None

    def on_echo(self, _sid, *args):
        return args

    def on_object(self, _sid, *_args):
        return {"id": 7, "name": "seven", "ok": True}

    def on_big(self, _sid, *_args):
        return {"id": 2**53 + 1}

    def on_text(self, _sid, *_args):
        return "hello world"

    def on_two(self, _sid, *_args):
        return "first", {"second": 2}

    def on_ignored(self, _sid, *_args):
        sio.sleep(30)

    def on_ask(self, sid, *args):
        self.emit("answer", args[0] if args else None, room=sid)

    def on_askObject(self, sid, *_args):
        self.emit("answer", {"id": 9, "list": [1, 2]}, room=sid)

    def on_askParts(self, sid, *_args):
        self.emit("answer", "hel", room=sid)
        self.emit("answer", "lo", room=sid)

    def on_askBoth(self, sid, *_args):
        self.emit("answer", "pushed", room=sid)
        return {"acknowledged": True}

    def on_kick(self, sid, *_args):
        self.disconnect(sid)


for namespace in ("/", "/admin", "/refuses"):
    sio.register_namespace(Events(namespace))


def http(environ, start_response):
    path, cookie = environ["PATH_INFO"], environ.get("HTTP_COOKIE")
    tell(f"socket {environ['REQUEST_METHOD']} {path} cookie {shown(cookie)}")
    body = json.dumps({"token": "t0ken"}).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    if path == "/login":
        headers.append(("Set-Cookie", "session=s1; Path=/"))
    start_response("200 OK", headers)
    return [body]


class Quiet(WSGIRequestHandler):
    def log(self, *_args):
        pass


server = make_server(
    "127.0.0.1", 0, socketio.WSGIApp(sio, http), threaded=True, request_handler=Quiet
)
tell(json.dumps({"port": server.server_port}))
server.serve_forever()
