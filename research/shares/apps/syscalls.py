"""Cheap system calls (under 1 us each) between short loops, beside a long loop."""

import os

PARTS = ["cheap_calls", "long_loop"]


def cheap_calls():
    n = 0
    for _ in range(400):
        os.getppid()
        for i in range(20):
            n += i
    return n


def long_loop():
    n = 0
    for i in range(40_000):
        n += i * i
    return n


def request():
    cheap_calls()
    long_loop()
