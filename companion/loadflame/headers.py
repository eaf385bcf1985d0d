"""Who gets headers about a request, and how they are added to a response."""

import hmac
import socket
import time
from hashlib import sha256

from .settings import KEY, __version__

LOOPBACK = ("127.", "::ffff:127.")
# headers that proxies add, and the protocol of nginx where it adds none
PROXIED = frozenset(
    b"forwarded via x-forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-forwarded-server"
    b" x-forwarded-by x-forwarded-prefix x-original-forwarded-for x-real-ip x-client-ip x-cluster-client-ip"
    b" true-client-ip cf-connecting-ip fastly-client-ip x-envoy-external-address x-envoy-attempt-count"
    b" x-amzn-trace-id x-arr-log-id cdn-loop".split()
)
PROXIED_WSGI = frozenset(["HTTP_" + name.decode().upper().replace("-", "_") for name in PROXIED])
# headers that let a cache keep a response in spite of "no-store", and "no-store"; ETag stays: clients use it themselves
STORING = "expires surrogate-control edge-control x-accel-expires".split()
# also those for caches of one kind (RFC 9213): CDN-Cache-Control, Netlify-CDN-Cache-Control
UNSTORED_WSGI = frozenset(STORING), "cache-control", ("Cache-Control", "no-store")
UNSTORED = frozenset([name.encode() for name in STORING]), b"cache-control", (b"cache-control", b"no-store")


def may_see(key, peer, is_direct):
    """Return whether a client gets the headers: who has the key (bytes, or latin-1) or, without one, who is on this machine."""
    if KEY is None:
        return is_direct and (peer.startswith(LOOPBACK) or peer == "::1")
    return hmac.compare_digest(key if isinstance(key, bytes) else key.encode("latin-1", "replace"), KEY)


def name_worker(ppid, pid):
    """Return the id of this worker, with a hash of its host and its parent process: "1f2e3d4c-7.4312"."""
    host = sha256(socket.gethostname().encode()).hexdigest()[:8]
    return "%s-%d.%d" % (host, ppid, pid)


def tell_time():
    """Say what this machine's clock shows, which may differ from the client's, and the version of this file."""
    return 'now;dur=%.1f, companion;desc="%s"' % (time.time() * 1000, __version__)


def add_timing(headers, value, header="Server-Timing", joint=", ", unstored=UNSTORED_WSGI):
    """Return the headers with Server-Timing, after the app's own entries, and forbid caches to store the response."""
    storing, ending, rule = unstored
    made, own_name = [rule], header.lower()
    for name, own in headers:
        lower = name.lower()
        if lower == own_name:
            value = own + joint + value
        elif lower not in storing and not lower.endswith(ending):
            made.append((name, own))
    made.append((header, value))
    return made
