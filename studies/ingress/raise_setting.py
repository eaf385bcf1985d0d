"""Multiplies a number that the kernel keeps in a file for as long as this runs, and puts it back."""

import signal
import sys

file, times = sys.argv[1], int(sys.argv[2])
# Blocked, so that none of them ends this before the number is back; they wait until somebody asks for them.
ends = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, ends)


def write(number):
    with open(file, "w") as setting:
        setting.write(f"{number}\n")


with open(file) as setting:
    before = int(setting.read())
print(f"{file} is {before}; to put it back by hand: echo {before} > {file}", flush=True)
try:
    write(before * times)
    print(f"raised to {before * times}", flush=True)
    signal.sigwait(ends)
finally:
    write(before)
