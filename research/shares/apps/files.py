"""System calls of 1 to 100 us that release the GIL (files, pipes), with some Python between them."""

import os
import tempfile

PARTS = ["stat_files", "write_read", "pipe_bytes", "count_words"]
FOLDER = tempfile.mkdtemp(prefix="shares-")
FILE = os.path.join(FOLDER, "text")
TEXT = b"some words that are counted " * 700
with open(FILE, "wb") as file:
    file.write(TEXT)


def stat_files():
    for _ in range(250):
        os.stat(FILE)


def write_read():
    for _ in range(12):
        with open(FILE, "rb+") as file:
            file.write(TEXT)
            file.seek(0)
            file.read()


def pipe_bytes():
    read, write = os.pipe()
    for _ in range(250):
        os.write(write, b"0123456789")
        os.read(read, 10)
    os.close(read)
    os.close(write)


def count_words():
    counts = {}
    for word in TEXT.split():
        counts[word] = counts.get(word, 0) + 1
    for i in range(12_000):
        counts[i & 7] = i
    return counts


def request():
    stat_files()
    write_read()
    pipe_bytes()
    count_words()
