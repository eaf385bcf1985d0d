"""A lock that all requests want, taken often, and calls that give up the GIL and want it back."""

import threading
import time

PARTS = ["take_turns", "give_up", "own_loop"]
lock = threading.Lock()


def take_turns():
    n = 0
    for _ in range(120):
        with lock:
            for i in range(120):
                n += i
    return n


def give_up():
    n = 0
    for _ in range(60):
        time.sleep(0)
        for i in range(120):
            n += i
    return n


def own_loop():
    n = 0
    for i in range(25_000):
        n += i * i
    return n


def request():
    take_turns()
    give_up()
    own_loop()
