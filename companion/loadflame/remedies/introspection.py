"""The remedy for tokens that are introspected for each request."""

import functools
import io
import json
import os
import re
import time
from hashlib import sha256
from urllib.parse import parse_qs

from .clients import lend_transports
from .remedy import Remedy

MOST_KEPT = 10000


class Introspection(Remedy):
    """Keeps the response to a token introspection (RFC 7662) for some seconds, and returns it for equal requests.

    Requests are equal in method, address, headers and body. Only their salted hash is kept, never a token. Refusals
    are not kept, and no response is kept for longer than its token is valid.
    """

    cause = "remote-introspection"
    places = {"urllib3": "of_urllib3", "httpx": "of_httpx"}
    # headers that change with each request, but not the response
    VOLATILE = re.compile(r"trace(?:parent|state)|baggage|sentry-trace|b3|x-(?:b3-.*|request-id|correlation-id)")

    def __init__(self, value):
        """Take seconds (10)."""
        if not re.match(r"(?:[1-9]\d{0,4})?\Z", value, re.ASCII):
            raise ValueError("it takes seconds, such as remote-introspection:10, but got %r" % value)
        self.seconds = int(value or 10)
        self.salt = os.urandom(16)

    def key_of(self, method, url, headers, body):
        """Return the key of a request about one token; None for all others."""
        headers = {name.lower(): value for name, value in headers}
        text = body.decode("latin-1") if isinstance(body, bytes) else body
        is_form = method == "POST" and str(headers.get("content-type")).startswith("application/x-www-form-urlencoded")
        if not is_form or not isinstance(text, str) or len(parse_qs(text).get("token", ())) != 1:
            return None
        lasting = sorted([one for one in headers.items() if not self.VOLATILE.fullmatch(one[0])])
        return sha256(self.salt + repr((url, lasting, text)).encode()).digest()

    def find(self, key):
        """Return headers and body of a kept response, or None."""
        found = self.shared.get(key)
        if found is None or time.time() >= found[0]:
            return None
        self.act()
        return found[1:]

    def keep(self, key, status, headers, body):
        """Keep a response as received, if its token is active."""
        import gzip

        try:
            facts = json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
            until = min(time.time() + self.seconds, float(facts.get("exp", "inf")))
        except Exception:
            return
        if status == 200 and facts.get("active") is True:
            with self.lock:
                if len(self.shared) >= MOST_KEPT:
                    self.shared.clear()
                self.shared[key] = (until, headers, body)

    def of_httpx(self, httpx):
        """Let clients make their own transport, with its TLS context, only when they need it."""

        def find(request):
            body = b"".join(request.stream) if isinstance(request.stream, httpx.ByteStream) else None
            key = self.key_of(request.method, str(request.url), request.headers.items(), body)
            return key, key and self.find(key)

        def give(headers, body, status=200, key=None):
            if key:
                self.keep(key, status, headers, body)
            return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

        def pick(make_own, options, is_async):
            own = functools.lru_cache(maxsize=None)(make_own)

            def send(request):
                key, found = find(request)
                response = None if found else own().handle_request(request)
                if found or not key:
                    return give(*found) if found else response
                body = b"".join(response.stream)
                response.close()
                return give(response.headers, body, response.status_code, key)

            async def send_async(request):
                key, found = find(request)
                response = None if found else await own().handle_async_request(request)
                if found or not key:
                    return give(*found) if found else response
                body = b"".join([part async for part in response.stream])
                await response.aclose()
                return give(response.headers, body, response.status_code, key)

            def close():
                if own.cache_info().currsize:
                    own().close()

            async def aclose():
                if own.cache_info().currsize:
                    await own().aclose()

            return (send_async, aclose) if is_async else (send, close)

        lend_transports(self, httpx, pick)

    def of_urllib3(self, urllib3):
        """Keep responses for requests and all other users of urllib3."""
        original = urllib3.HTTPConnectionPool.urlopen

        def urlopen(pool, method, url, body=None, headers=None, *args, **options):
            address = "%s://%s:%s%s" % (pool.scheme, pool.host, pool.port, url)
            key = self.key_of(method, address, (pool.headers if headers is None else headers).items(), body)
            if key is None or args:
                return original(pool, method, url, body, headers, *args, **options)
            found, status = self.find(key), 200
            if not found:
                response = original(pool, method, url, body, headers, **dict(options, preload_content=False))
                status, found = response.status, (response.headers, response.read(decode_content=False))
                response.release_conn()
                self.keep(key, status, *found)
            given = {name: options.get(name, True) for name in ("preload_content", "decode_content")}
            return urllib3.HTTPResponse(io.BytesIO(found[1]), found[0], status, request_method=method, **given)

        self.replace(urllib3.HTTPConnectionPool, "urlopen", urlopen)
