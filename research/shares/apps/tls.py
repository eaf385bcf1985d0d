"""A TLS context made anew (C code, most of it in OpenSSL) beside Python work."""

import ssl

PARTS = ["make_context", "work"]


def make_context():
    return ssl.create_default_context()


def work():
    total = {}
    for i in range(225_000):
        total[i & 63] = i
    return total


def request():
    make_context()
    work()
