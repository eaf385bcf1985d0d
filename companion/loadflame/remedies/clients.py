"""The remedy for HTTP clients that are made per request."""

import functools

from .remedy import MOST_SHARED, Remedy


class HttpClients(Remedy):
    """Lets clients with the same options share connections; each keeps its own cookies and headers."""

    cause = "http-client-per-request"
    places = {"urllib3": "of_urllib3", "httpx": "of_httpx", "requests": "of_requests"}

    def of_requests(self, requests):
        """Check the version; requests takes its connections from urllib3."""
        if [int(part) for part in requests.__version__.split(".")[:2]] < [2, 32]:
            self.refuse("requests before 2.32 changes certificate checks of existing pools: update requests")

    def of_urllib3(self, urllib3):
        """Share the pools of PoolManager; the key of a pool has all of its options."""
        from urllib3 import poolmanager

        original = poolmanager.PoolManager.connection_from_pool_key

        def connection_from_pool_key(manager, pool_key, request_context=None):
            classes, keys = manager.pool_classes_by_scheme, manager.key_fn_by_scheme
            is_usual = classes is poolmanager.pool_classes_by_scheme and keys == poolmanager.key_fn_by_scheme
            if request_context is None or type(manager) is not poolmanager.PoolManager or not is_usual:
                self.leave("connections of %s" % type(manager).__name__)
                return original(manager, pool_key, request_context)
            with self.lock:
                if "urllib3" not in self.shared:
                    self.shared["urllib3"] = poolmanager.PoolManager(MOST_SHARED)
                common = self.shared["urllib3"]
            if not hasattr(manager, "loadflame_known") and pool_key in common.pools:
                self.act()
            manager.loadflame_known = True
            if not request_context.get("block"):  # as many as threads may use at once
                most = max(MOST_SHARED, request_context.get("maxsize") or 1)
                request_context = dict(request_context, maxsize=most)
            return original(common, pool_key, request_context)

        self.replace(poolmanager.PoolManager, "connection_from_pool_key", connection_from_pool_key)

    def of_httpx(self, httpx):
        """Share the transports of clients, within one event loop."""
        import asyncio

        plain = (bool, str, type(None), type(httpx.Limits()))

        async def aclose():
            """Stay open for other clients."""

        def pick(make_own, options, is_async):
            loop = asyncio._get_running_loop() if is_async else None
            if (is_async and loop is None) or not all([isinstance(one, plain) for one in options.values()]):
                self.leave("httpx clients with their own TLS context or transport, or made outside of an event loop")
                return None
            key = (loop, repr(sorted(options.items())))
            common = self.shared.get(key)
            if common is not None:
                self.act()
            elif len(self.shared) < MOST_SHARED:
                common = self.shared.setdefault(key, make_own())
            else:
                return None
            return (common.handle_async_request, aclose) if is_async else (common.handle_request, bool)

        lend_transports(self, httpx, pick)


def lend_transports(remedy, httpx, pick):
    """Let clients send and close with the functions of pick(make_own, options, is_async), or if None with their own."""

    class Lent(httpx.BaseTransport, httpx.AsyncBaseTransport):
        def __init__(self, send, close):
            self.handle_request = self.handle_async_request = send
            self.close = self.aclose = close

    def lend(owner, is_async):
        original = owner._init_transport

        def init_transport(client, **options):
            make_own = functools.partial(original, client, **options)
            picked = pick(make_own, options, is_async)
            return make_own() if picked is None else Lent(*picked)

        remedy.replace(owner, "_init_transport", init_transport)

    lend(httpx.Client, False)
    lend(httpx.AsyncClient, True)
