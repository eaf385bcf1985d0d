"""Work handed to another thread and back, as a thread pool or a client with a background thread does."""

import queue
import threading

PARTS = ["ask_helper", "help_out", "own_work"]
_local = threading.local()


def help_out(numbers):
    n = 0
    for number in numbers:
        for i in range(400):
            n += i * number
    return n


def _serve(tasks, results):
    while True:
        results.put(help_out(tasks.get()))


def ask_helper():
    if not hasattr(_local, "tasks"):
        _local.tasks, _local.results = queue.Queue(), queue.Queue()
        threading.Thread(target=_serve, args=(_local.tasks, _local.results), daemon=True).start()
    n = 0
    for turn in range(25):
        _local.tasks.put((turn, turn + 1))
        for i in range(300):
            n += i
        n += _local.results.get()
    return n


def own_work():
    text = ""
    for i in range(7_000):
        text = str(i) + text[:20]
    return text


def request():
    ask_helper()
    own_work()
