"""Samples the stacks of Python processes without pausing them, until SIGTERM or SIGINT.

    cat cores.py recorder.py | python -I -S -B - RATE PID... > samples.txt

loadflame runs it with the interpreter of the first process, 3.15 or newer: the private module
`_remote_debugging` of its standard library reads the memory of other processes and writes nothing. A sample of a
stack that changes meanwhile fails or, more rarely, is torn; a failed one is tried again. So the recorder moves to
the core of the target, which cannot run there meanwhile (`Core`). That also shows which runnable thread had a core;
of threads on other cores it shows a moment later (`Runner`).

Standard output gets the samples, one record a line, with tabs between the fields:

    P pid parent                     this process is sampled from now on; parent 0: it was named
    F frame ["file", "function", line, "path"]
    N node caller frame              the stack that ends in this frame, called from the node `caller` (-1: none)
    L time pid                       a sample of a process; microseconds since the epoch
    T thread state node              a thread that had frames in that sample

`file` is the part of `path` below the innermost folder that is not a package, as in py-spy's output.
`state` is a sum: 1 has the GIL, 2 runs or wants to (the kernel's state R), 4 unknown, 8 wants the GIL,
16 handles an exception, 32 main thread, 64 had a core. Standard error gets one JSON object a line: a `process` for
each P, `ready` once, then a `segment` a second and at the end. A reader that has gone ends it, too.
"""

import json
import os
import random
import signal
import sys
import time

if sys.version_info < (3, 15):
    sys.exit("Python %d.%d can't tell what the threads of another process do" % sys.version_info[:2])

import _remote_debugging as remote

RUNNING, WANTS_GIL, HAD_CORE = 2, 8, 64
if (remote.THREAD_STATUS_ON_CPU, remote.THREAD_STATUS_GIL_REQUESTED) != (RUNNING, WANTS_GIL):
    sys.exit("this Python numbers the states of threads in another way")

# All states of all threads: PROFILING_MODE_ALL.
MODE = 3
# Raised by a sample of a stack that changes meanwhile.
FAILURES = (RuntimeError, UnicodeDecodeError, MemoryError, OSError)
TRIES = 3
# At the start one of these samples of each process must succeed.
FIRST_TRIES, FIRST_PAUSE_SEC = 30, 0.01
FIND_EVERY_SEC = 0.25
# After this time without a good sample the recorder attaches again.
DEAF_SEC = 1
SEGMENT_US = 1_000_000
# The recorder reads on which core these threads are before a sample; a core has one of them.
MOST_RUNNERS = 8
# Most kernels list the children of a process; otherwise reading all processes takes 4 ms.
HAS_CHILDREN = os.path.exists("/proc/thread-self/children")
# Known stacks are dropped beyond this number (20 MB). Their numbers are never used again.
MOST_NODES = 100_000


class Samples:
    """Records of one round, written when all processes were sampled. Texts are written once, then their numbers."""

    def __init__(self):
        self.lines, self.seen = [], []
        self.frames, self.nodes = {}, {}
        # The innermost frame of a node, and its samples in this segment.
        self.leaves, self.counts = {}, {}
        # Functions seen first in this segment, and their files.
        self.functions = []
        self.frame_count = self.node_count = 0

    def add_look(self, pid, at_us, threads):
        self.lines.append("L\t%d\t%d\n" % (at_us, pid))
        for thread in threads:
            if thread.frame_info:
                node = self.find_node(thread.frame_info)
                leaf = self.leaves[node]
                self.counts[leaf] = self.counts.get(leaf, 0) + 1
                self.seen.append((len(self.lines), thread.thread_id, thread.status, node))
                self.lines.append("")

    def end_looks(self, had_core):
        """Writes the samples. `had_core`: threads."""
        for at, tid, state, node in self.seen:
            self.lines[at] = "T\t%d\t%d\t%d\n" % (tid, state | HAD_CORE * (tid in had_core), node)
        sys.stdout.write("".join(self.lines))
        sys.stdout.flush()
        self.seen.clear()
        self.lines.clear()

    def find_node(self, frames):
        """A stack, innermost frame first, as the number of its node."""
        node, nodes = -1, self.nodes
        for frame in reversed(frames):
            location = frame.location
            key = (node, frame.filename, frame.funcname, location.lineno if location else None)
            known = nodes.get(key)
            node = self.add_node(key) if known is None else known
        return node

    def add_node(self, key):
        if self.node_count % MOST_NODES == MOST_NODES - 1:
            for known in (self.nodes, self.frames, self.leaves):
                known.clear()
        caller, path, function, line = key
        self.nodes[key] = node = self.node_count
        self.node_count += 1
        frame, self.leaves[node] = self.find_frame(path, function, line)
        self.lines.append("N\t%d\t%d\t%d\n" % (node, caller, frame))
        return node

    def find_frame(self, path, function, line):
        """Its number, and its texts."""
        known = self.frames.get((path, function, line))
        if known is None:
            file = shorten(path)
            self.functions.append((function, file))
            known = self.frame_count, (function, file, line)
            self.frames[path, function, line] = known
            self.frame_count += 1
            texts = json.dumps([file, function, line, path])
            self.lines.append("F\t%d\t%s\n" % (known[0], texts))
        return known


class Target:
    """A process, and how many samples of it failed in this segment."""

    def __init__(self, pid):
        self.pid = pid
        self.unwinder = None
        # Threads that were runnable lately, the last first.
        self.runners = []
        self.attach_at = self.good_at = 0
        self.looks = self.failed = 0
        self.failure = None

    def look(self):
        """Time in microseconds, the threads, and which of them were runnable; None when it failed.
        ProcessLookupError: it has ended."""
        self.looks += 1
        for _ in range(TRIES):
            at_us = time.time_ns() // 1000
            try:
                unwinder = self.unwinder or self.attach()
                threads = [one for part in unwinder.get_stack_trace() for one in part.threads]
                self.good_at = time.monotonic()
                runners = [one.thread_id for one in threads if one.status & RUNNING and one.frame_info]
                self.runners = list(dict.fromkeys(runners + self.runners))[:MOST_RUNNERS]
                return at_us, threads, runners
            except ProcessLookupError:
                raise
            except FAILURES as failure:
                self.failure = failure
                if self.unwinder is None:
                    break
        self.failed += 1
        if time.monotonic() - self.good_at > DEAF_SEC:
            self.unwinder = None
        return None

    def folder_of(self, tid):
        return "/proc/%d/task/%d/" % (self.pid, tid)

    def read_places(self):
        """State and core of the threads that were runnable lately; of one that sleeps, its last core."""
        places = {}
        for tid in self.runners:
            try:
                with open(self.folder_of(tid) + "stat", "rb", 0) as file:
                    fields = file.read().rpartition(b") ")[2].split()
                places[tid] = fields[0], int(fields[36])
            except OSError:
                pass  # It has ended.
        return places

    def attach(self):
        now = time.monotonic()
        if now < self.attach_at:
            raise self.failure
        self.attach_at = now + FIND_EVERY_SEC
        if not os.path.exists("/proc/%d" % self.pid):
            raise ProcessLookupError(self.pid)
        self.unwinder = remote.RemoteUnwinder(
            self.pid,
            all_threads=True,
            mode=MODE,
            skip_non_matching_threads=False,
            cache_frames=False,
        )
        self.good_at = now
        return self.unwinder


class Recorder:
    def __init__(self, rate_hz, roots):
        self.step = 1 / rate_hz
        self.roots = roots
        self.samples = Samples()
        self.targets = {}
        self.others = set()
        self.running = self.missed = 0
        self.is_over = False
        self.tick_sec = measure_tick()
        self.core = Core()

    def find(self):
        """Adds the Python processes that these have started meanwhile."""
        found = {root: 0 for root in self.roots}
        for root in self.roots:
            if HAS_CHILDREN:
                add_descendants(found, root)
            else:
                found.update((pid, root) for pid in remote.get_child_pids(root, recursive=True))
        for pid in found:
            if pid in self.targets or pid in self.others:
                continue
            if found[pid] == 0 or is_python(pid):
                self.targets[pid] = Target(pid)
                self.samples.lines.append("P\t%d\t%d\n" % (pid, found[pid]))
                say(kind="process", pid=pid)
            else:
                self.others.add(pid)
        self.others &= found.keys()

    def look_at_all(self):
        had_core, unknown = set(), []
        for pid, target in list(self.targets.items()):
            told = self.core.come_to(target)
            try:
                seen = target.look()
            except ProcessLookupError:
                del self.targets[pid]
                continue
            if seen:
                at_us, threads, runners = seen
                self.samples.add_look(pid, at_us, threads)
                unknown += [Runner(pid, tid) for tid in runners if tid not in told]
                had_core.update(tid for tid in runners if told.get(tid))
        tell_runners(unknown, self.tick_sec)
        had_core.update(one.tid for one in unknown if one.had_core)
        self.running += len(had_core)
        self.samples.end_looks(had_core)

    def begin(self):
        """One sample of each process must succeed, else this recorder does not work here."""
        self.find()
        for _ in range(FIRST_TRIES):
            self.look_at_all()
            blind = [one for one in self.targets.values() if one.failed == one.looks]
            if not blind:
                break
            time.sleep(FIRST_PAUSE_SEC)
        else:
            failure = blind[0].failure
            sys.exit("process %d: %s: %s" % (blind[0].pid, type(failure).__name__, failure))
        if not self.targets:
            sys.exit("there is no such process")
        say(kind="ready", python="%d.%d.%d" % sys.version_info[:3], sameCore=bool(self.core.allowed))

    def record(self):
        """Samples at a random moment of each step, so that periodic work is hit neither always nor never."""
        begun = find_at = time.perf_counter()
        begun_us = time.time_ns() // 1000
        step = 0
        while not self.is_over and self.targets:
            pause = begun + (step + random.random()) * self.step - time.perf_counter()
            if pause > 0:
                time.sleep(pause)
            now, now_us = time.perf_counter(), time.time_ns() // 1000
            if now_us // SEGMENT_US > begun_us // SEGMENT_US:
                end_us = now_us // SEGMENT_US * SEGMENT_US
                self.end_segment(begun_us, end_us)
                begun_us = end_us
            if now >= find_at:
                self.find()
                find_at = now + FIND_EVERY_SEC
            self.look_at_all()
            step += 1
            reached = int((time.perf_counter() - begun) / self.step)
            if reached > step:
                self.missed += reached - step
                step = reached
        self.end_segment(begun_us, time.time_ns() // 1000)

    def end_segment(self, begun_us, end_us):
        say(
            kind="segment",
            startMs=begun_us // 1000,
            endMs=end_us // 1000,
            samples=self.running,
            looks=sum(one.looks for one in self.targets.values()),
            errors=sum(one.failed for one in self.targets.values()),
            missedMs=round(self.missed * self.step * 1000),
            lines=[[*leaf, count] for leaf, count in self.samples.counts.items()],
            functions=list(dict.fromkeys(self.samples.functions)),
        )
        self.samples.counts.clear()
        self.samples.functions.clear()
        self.running = self.missed = 0
        for one in self.targets.values():
            one.looks = one.failed = 0

    def stop(self, *_):
        self.is_over = True


def shorten(path):
    folder = os.path.dirname(path)
    while os.path.dirname(folder) != folder and os.path.exists(folder + "/__init__.py"):
        folder = os.path.dirname(folder)
    return path[len(folder) :].lstrip("/")


def add_descendants(found, parent):
    """Adds what a process has started, with their parents. A child belongs to the thread that forked it."""
    try:
        for thread in os.listdir("/proc/%d/task" % parent):
            with open("/proc/%d/task/%s/children" % (parent, thread)) as file:
                for pid in map(int, file.read().split()):
                    if pid not in found:
                        found[pid] = parent
                        add_descendants(found, pid)
    except OSError:
        pass  # It has just ended.


def is_python(pid):
    try:
        return remote.is_python_process(pid)
    except (OSError, RuntimeError):
        return False


def say(**words):
    print(json.dumps(words), file=sys.stderr, flush=True)


def main():
    recorder = Recorder(float(sys.argv[1]), [int(pid) for pid in sys.argv[2:]])
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, recorder.stop)
    try:
        recorder.begin()
        recorder.record()
    except BrokenPipeError:
        # The reader has gone. Leave nothing to flush when the interpreter ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())


main()
