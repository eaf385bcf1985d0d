"""New connections that requests open: by Python's own events, and those of drivers in C, which raise none."""

from ..requests import CALLER, is_over
from .find import find_call
from .ledger import count_call
from .services import name_host

STREAM = 1  # others, such as those to name servers, keep no connection


def count_connection(text, system=None):
    """Count what the request under way opens now. Its time belongs to the call that needs it."""
    try:
        caller = CALLER.get()
        if caller is not None and not is_over(caller):
            count_call(caller, find_call("connect", system, "connect " + text), 0)
    except Exception:
        pass  # what an event raises would end the connection


def describe_socket(made, address):
    """Describe a connection by its address; None: no stream, or gevent asks again until it is connected."""
    if made.type != STREAM or type(address) is tuple and made.getsockname()[1] != 0:
        return None
    return "connect", None, "connect " + (name_host(*address[:2]) if type(address) is tuple else "a socket file")


def of_psycopg_connections(module):
    """Count connections of psycopg 3, of libpq."""
    original = module.BaseConnection._connect_gen.__func__

    def connect(*args, **options):
        count_connection("postgresql", "postgresql")
        return original(*args, **options)

    module.BaseConnection._connect_gen = classmethod(connect)
