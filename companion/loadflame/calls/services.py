"""Clients of other services, whose calls are counted: HTTP, Redis and MongoDB."""

import re
from urllib.parse import urlsplit

from ..requests import CALLER, is_over
from ..routes import METHODS, name_route
from .find import find_call
from .follow import REQUEST_FRAME, follow_calls_of, is_transaction_open
from .ledger import count_call, keep_few

FOREIGN = re.compile(r"(?<=/)(?!:id(?:/|\Z))[^/]*(?:[^\w./\-]|\d[^/]*\d[^/]*\d|[^/]{33})[^/]*", re.ASCII)
DEFAULT_PORTS = (None, 80, 443)


def name_host(host, port):
    """Name a server."""
    return host.lower() if port in DEFAULT_PORTS else "%s:%s" % (host.lower(), port)


def fold_path(path):
    """Fold what may be a value in the path of a foreign service, or in the name of a collection: more than ids."""
    return FOREIGN.sub(":id", "/" + path)[1:]


def describe_http(method, host, port, target):
    """Describe a request by its method, host and path."""
    method, path = name_route(method if method in METHODS else "OTHER", target).split(" ", 1)
    return "http", None, "%s %s%s" % (method, name_host(host, port), fold_path(path))


def describe_url(method, url):
    """Describe a request by its address."""
    parts = urlsplit(url)
    return describe_http(method, parts.hostname or "", parts.port, parts.path or "/")


def of_urllib3(connectionpool):
    """Count requests of urllib3 and requests, until the headers of their responses."""

    def describe(self, args, options):
        method, target = (args + (options.get("url"),))[:2] if args else (options["method"], options["url"])
        return describe_http(method, self.host, self.port, target)

    follow_calls_of(connectionpool.HTTPConnectionPool, ["urlopen"], describe, frame_name=REQUEST_FRAME)


def of_httpx(httpx):
    """Count requests, redirects included."""

    def describe(_self, args, options):
        request = args[0] if args else options["request"]
        return describe_url(request.method, str(request.url))

    for owner in (httpx.Client, httpx.AsyncClient):
        follow_calls_of(owner, ["send"], describe, frame_name=REQUEST_FRAME)


def of_aiohttp(client):
    """Count requests, until the headers of their responses."""
    describe = lambda self, args, _: describe_url(args[0].upper(), str(self._build_url(args[1])))  # noqa: E731
    follow_calls_of(client.ClientSession, ["_request"], describe, frame_name=REQUEST_FRAME)


def of_redis(client):
    """Count commands and pipelines, without their keys."""

    def describe(self, args, _options):
        known = self.connection_pool.connection_kwargs
        name = args[0].decode() if isinstance(args[0], bytes) else str(args[0])
        name = name.split()[0].upper() if re.match(r"[A-Za-z_.]{1,30}(?: |\Z)", name) else "OTHER"
        name += " BLOCK" if name.startswith("XREAD") and b"BLOCK" in args else ""
        return "redis", "redis", "%s %s" % (name, name_host(known.get("host", "localhost"), known.get("port")))

    follow_calls_of(client.Redis, ["execute_command"], describe)
    follow_calls_of(client.Pipeline, ["execute"], lambda self, *_: describe(self, ["PIPELINE"], None))


def of_pymongo(pymongo):
    """Count commands, by what pymongo itself reports of them."""
    places = {}

    class Listener(pymongo.monitoring.CommandListener):
        def started(self, event):
            if CALLER.get() is not None:
                keep_few(places)
                name = event.command.get(event.command_name)
                places[event.request_id] = " " + fold_path(name) if isinstance(name, str) else ""

        def succeeded(self, event):
            try:
                caller, place = CALLER.get(), places.pop(event.request_id, None)
                if caller is not None and place is not None and not is_over(caller):
                    text = "%s%s %s" % (event.command_name, place, name_host(*event.connection_id))
                    count_call(caller, find_call("mongodb", "mongodb", text), event.duration_micros / 1e6, None, is_transaction_open(caller))
            except Exception:
                pass

        failed = succeeded

    pymongo.monitoring.register(Listener())
