"""Which of the runnable threads had a core at the moment of a sample. `recorder.py` is run with this before it."""

import os
import random
import re
import time

# Between readings of a thread's CPU time.
ECHO_SEC = 0.0007
# Of two threads, when one took the core from the other; a sample begins later.
SAME_SWITCH_MS = 0.01


class Runner:
    """A thread in the state R: it ran, or waited for a core, which this state does not distinguish.

    The kernel counts how long a thread has had a core, updated when it loses the core and at each tick, and how
    often it got one. So whether it had one in the sample shows a moment later.
    """

    def __init__(self, pid, tid):
        self.tid = tid
        self.folder = "/proc/%d/task/%d/" % (pid, tid)
        self.had_core = None
        self.read_ns = time.monotonic_ns()
        self.times = self.read_times()
        if not self.times or self.times[0] == 0:
            self.had_core = True  # The kernel does not count it.

    def read_times(self):
        """Time with a core, time of waiting for one, how often it got one; None: it has ended, or unknown."""
        try:
            with open(self.folder + "schedstat", "rb", 0) as file:
                return [int(field) for field in file.read().split()]
        except (OSError, ValueError):
            return None

    def look_again(self):
        before_ns, self.read_ns = self.read_ns, time.monotonic_ns()
        times = self.read_times()
        if times is None:
            self.had_core = True
            return
        ran, queued, count = [now - then for now, then in zip(times, self.times)]
        if count == 0 and ran > 0:
            self.had_core = True
        elif count > 0 and (ran == 0 or queued > self.read_ns - before_ns):
            # It got a core, for which it had waited since before the last reading.
            self.had_core = False
        elif count > 0:
            # It lost a core and got one again, or got one and lost it.
            self.had_core = random.random() * (ran + queued) < ran

    def decide(self):
        """It has had no core since the sample: it still waits, or fell asleep just after the sample."""
        try:
            with open(self.folder + "stat", "rb", 0) as file:
                self.had_core = file.read().rpartition(b") ")[2][:1] != b"R"
        except OSError:
            self.had_core = True


def tell_runners(runners, tick_sec):
    """Finds which of them had a core, in a tick at most."""
    unknown = [one for one in runners if one.had_core is None]
    until = time.monotonic() + tick_sec
    while unknown and time.monotonic() < until:
        time.sleep(ECHO_SEC)
        for one in unknown:
            one.look_again()
        unknown = [one for one in unknown if one.had_core is None]
    for one in unknown:
        one.decide()


def measure_tick():
    """Slightly more than the kernel's tick, in seconds: by this the CPU time of a thread may be out of date."""
    me = Runner.__new__(Runner)
    me.folder = "/proc/thread-self/"
    seen = []
    until = time.monotonic() + 0.1
    while len(seen) < 4 and time.monotonic() < until:
        now = me.read_times()
        if not seen or now != seen[-1][0]:
            seen.append((now, time.monotonic()))
    gaps = [later[1] - earlier[1] for earlier, later in zip(seen[1:], seen[2:])]
    return min(1.2 * max(gaps, default=0.004), 0.012)


class Core:
    """The core that the recorder is on: that of the sampled thread, which cannot run meanwhile.

    From another core, stacks change during a sample, and short calls are seen too rarely. On the target's own core
    the kernel's timer interrupts the target at a moment that does not depend on what it does. That needs real-time
    priority: without it we would get the core when a thread gives it up, which is no random moment.
    Where that is not allowed, we sample from any core, and the target runs on.
    """

    def __init__(self):
        self.number = -1
        self.allowed = set()
        # Without this file, the thread that lost the core to us would count as one that waits.
        if read_switch_ms("/proc/thread-self/") is not None:
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
                self.allowed = os.sched_getaffinity(0)
            except OSError:
                pass

    def come_to(self, target):
        """Moves to its core. Returns for each of its runnable threads there whether it had the core."""
        places = target.read_places() if self.allowed else {}
        if not places:
            return {}
        # If several are runnable, stay where one of them is.
        _, number = max(places.values(), key=lambda one: (one[0] == b"R", one[1] == self.number))
        if number != self.number and number in self.allowed:
            try:
                os.sched_setaffinity(0, {number})
            except OSError:
                self.allowed = self.allowed - {number}
                return {}
            self.number = number
            places = target.read_places()
        here = [tid for tid, place in places.items() if place == (b"R", self.number)]
        own_ms = read_switch_ms("/proc/thread-self/") if here else None
        if own_ms is None:
            return {}
        for had in here:
            ms = read_switch_ms(target.folder_of(had))
            if ms is not None and abs(ms - own_ms) < SAME_SWITCH_MS:
                return {tid: tid == had for tid in here}
        return dict.fromkeys(here, False)


def read_switch_ms(folder):
    """When a thread lost its core, or got one, by the clock of the core; None: unknown."""
    try:
        with open(folder + "sched", "rb", 0) as file:
            found = re.search(rb"exec_start\s*:\s*([\d.]+)", file.read(300))
        return found and float(found[1])
    except OSError:
        return None


