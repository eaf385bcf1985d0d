"""A loop with a cheap system call, and threads that sleep: `pausing.js` has py-spy sample them.

It prints the share of the call by its thread's clock. py-spy ends it; without py-spy it ends after ten seconds.
"""

import os
import threading
import time


def asleep():
    time.sleep(20)


def pure():
    n = 0
    for i in range(300):
        n += i * i


def call():
    os.getppid()


def clock(function):
    start = time.thread_time()
    for _ in range(1000):
        function()
    return time.thread_time() - start


def true_share():
    calls = clock(call)
    return calls / (calls + clock(pure))


print(sorted(true_share() for _ in range(3))[1], flush=True)
for _ in range(4):
    threading.Thread(target=asleep, daemon=True).start()
end = time.monotonic() + 10
while time.monotonic() < end:
    pure()
    call()
