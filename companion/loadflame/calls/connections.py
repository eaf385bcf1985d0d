"""New connections that requests open: by Python's own events, and those of drivers in C, which raise none themselves."""

import socket
import sys

from .services import name_host


def describe_socket(made, address):
    """Describe a connection by its address; None: no stream, or gevent asks again until it is connected."""
    # those of another kind, such as to name servers, keep no connection
    if made.type != socket.SOCK_STREAM or type(address) is tuple and made.getsockname()[1] != 0:
        return None
    return "connect", None, "connect " + (name_host(*address[:2]) if type(address) is tuple else "a socket file")


def of_psycopg_connections(module):
    """Count connections of psycopg 3, of libpq."""
    original = module.BaseConnection._connect_gen.__func__

    def connect(*args, **options):
        sys.audit("loadflame.connect", "postgresql")
        return original(*args, **options)

    module.BaseConnection._connect_gen = classmethod(connect)


def of_uvloop(uvloop):
    """Count connections of uvloop, of libuv; one of a socket that is connected already is none."""
    original = uvloop.Loop.create_connection

    def create_connection(self, factory, host=None, port=None, **options):
        if isinstance(host, str):
            sys.audit("loadflame.connect-to", name_host(host, port))
        return original(self, factory, host, port, **options)

    uvloop.Loop.create_connection = create_connection
