"""New connections that requests open, and what they need: by Python's own events, and by those raised here for what raises none."""

import functools
import socket
import sys

from .services import name_host

OF_POSTGRES = ("connect", "postgresql", "connect postgresql")


def describe_socket(made, address):
    """Describe a connection by its address; None: no stream, or gevent asks again until it is connected."""
    # those of another kind, such as to name servers, keep no connection
    if made.type != socket.SOCK_STREAM or type(address) is tuple and made.getsockname()[1] != 0:
        return None
    return "connect", None, "connect " + (name_host(*address[:2]) if type(address) is tuple else "a socket file")


def follow_making(owner, name, *told):
    """Count what a method makes, as described: a request that makes none pays nothing. Of another one of its kind, it makes a view."""
    kept = vars(owner)[name]
    original = getattr(kept, "__func__", kept)

    @functools.wraps(original)
    def make(*args, **options):
        if not isinstance(args[1] if args[1:] else None, owner):
            sys.audit("loadflame.act", *told)
        return original(*args, **options)

    setattr(owner, name, make if original is kept else type(kept)(make))


def of_uvloop(uvloop):
    """Count connections of uvloop, of libuv; one of a socket that is connected already is none."""
    original = uvloop.Loop.create_connection

    def create_connection(self, factory, host=None, port=None, **options):
        if isinstance(host, str):
            sys.audit("loadflame.act", "connect", None, "connect " + name_host(host, port))
        return original(self, factory, host, port, **options)

    uvloop.Loop.create_connection = create_connection
