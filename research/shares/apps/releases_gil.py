"""C code that releases the GIL (hashes, compression of big buffers) beside a loop."""

import hashlib
import zlib

PARTS = ["hash_bytes", "compress_bytes", "loop"]
BYTES = bytes(range(256)) * 1_200
TEXT = b"".join(b"line %d of a long text\n" % i for i in range(2_600))


def hash_bytes():
    return hashlib.sha512(BYTES).hexdigest()


def compress_bytes():
    return zlib.compress(TEXT, 4)


def loop():
    n = 0
    for i in range(16_000):
        n += i * i
    return n


def request():
    hash_bytes()
    compress_bytes()
    loop()
