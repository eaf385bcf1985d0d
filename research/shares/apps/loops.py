"""Three loops of Python, nothing else: about 61 to 30 to 9."""

PARTS = ["loop_big", "loop_mid", "loop_small"]


def loop_big():
    n = 0
    for i in range(36_000):
        n += i * i
    return n


def loop_mid():
    n = 0
    for i in range(18_000):
        n += i * i
    return n


def loop_small():
    n = 0
    for i in range(5_400):
        n += i * i
    return n


def request():
    loop_big()
    loop_mid()
    loop_small()
