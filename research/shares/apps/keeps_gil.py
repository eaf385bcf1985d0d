"""C code that keeps the GIL (json, re, sorting) beside a loop."""

import json
import re

PARTS = ["dump_json", "search_text", "sort_list", "loop"]
DATA = [{"id": i, "name": f"citizen {i}", "tags": ["a", "b", str(i)]} for i in range(350)]
TEXT = "the quick brown fox 12-34 jumps over " * 450
WORDS = [str((i * 7919) % 10007) for i in range(4_000)]
NUMBERS = re.compile(r"(\w+) (\d+)-(\d+)")


def dump_json():
    return json.dumps(DATA)


def search_text():
    return sum(1 for _ in NUMBERS.finditer(TEXT))


def sort_list():
    return sorted(WORDS)


def loop():
    n = 0
    for i in range(8_000):
        n += i * i
    return n


def request():
    dump_json()
    search_text()
    sort_list()
    loop()
