"""Applies the remedy that LOADFLAME_REMEDY names."""

import os

from ..arrivals import find_owner
from ..settings import IS_ACTIVE
from .clients import HttpClients
from .collector import Freeze, Threshold
from .introspection import Introspection
from .observability import Observability
from .relation import Relation
from .remedy import Remedy, print_line
from .tls import TlsContexts


class AccessLog(Remedy):
    """Switches off the access log of gunicorn."""

    cause = "access-log"
    places = {"gunicorn.glogging": "of_gunicorn"}

    def of_gunicorn(self, glogging):
        """Write no lines, and count them."""

        def access(logger, *args, **options):
            if logger.access_log.hasHandlers():
                self.act()

        self.replace(glogging.Logger, "access", access)


REMEDIES = (TlsContexts, HttpClients, Introspection, Relation, AccessLog, Freeze, Threshold, Observability)


def start_remedy(asked):
    """Apply what LOADFLAME_REMEDY asks for, once: gunicorn may read this file again."""
    cause, _, value = asked.partition(":")
    if find_owner("cause") is not None:
        return
    kinds = {kind.cause: kind for kind in REMEDIES}
    try:
        if not IS_ACTIVE:
            raise ValueError("the companion is not active: LOADFLAME=1 is not in its environment")
        if cause not in kinds:
            raise ValueError("there is no such remedy; the remedies are %s" % ", ".join(kinds))
        remedy = kinds[cause](value)
    except ValueError as error:
        return print_line({"remedy": cause, "pid": os.getpid(), "acted": 0, "replaced": [], "left": {}, "refused": str(error)})
    remedy.start()
