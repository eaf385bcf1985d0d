"""Holds predictions of kept runs against queueing theory: `python research/bottlenecks/oracle.py FOLDER …`, with the folders
of `run.js --keep`. For each run it prints requests/s: now, predicted (its range), by exact mean value analysis, by LINE's
layered network (where `pip install line-solver` was possible), and measured after the fix, as often as now. The networks
are built here from what was recorded, with no code of `lib/`: users, threads, waits that stay, CPU, the queue for cores."""

import json
import math
import pathlib
import sys

try:
    from line_solver import LN, Activity, Entry, Exp, Immediate, LayeredNetwork, Processor, SchedStrategy, Task
except ImportError:
    LN = None

QUEUES = {"lock": "lock", "pool": "pool", "consumer": "lock"}
RUNS = ("cpu", "gil", "thread-pool")
MORE_IN_IDLE = 0.4


def network(bottleneck):
    """What one request needs after the fix, in seconds, and for how many; None where the run does not say."""
    facts, waits = bottleneck["facts"], bottleneck["facts"]["waits"]
    pressure, workers = facts["pressure"], facts["workers"]
    if pressure["id"] != "waiting" or not waits or not workers:
        return None
    per_sec, limit = facts["throughputPerSec"], bottleneck["id"]
    longest, locking = facts["longestWait"] or {}, facts.get("locking")
    gone = QUEUES.get(limit, longest.get("kind") if limit == "wait" else limit)
    part = 1.0
    if limit == "database" and locking:
        part = locking["share"]
    elif limit == "wait" or (longest.get("place") or {}).get("as") == "connect":
        part = longest["share"]["value"] / sum(k["share"]["value"] for k in waits["kinds"] if k["id"] == gone)
    stays = sum(
        kind["share"]["value"] * (1 - part * (kind["id"] == gone)) for kind in waits["kinds"] if kind["id"] not in RUNS
    )
    # Outside of the server, unless requests queue there; with it goes the queue for cores of the threads that accept.
    asking = pressure["facts"]["users"] * pressure["facts"]["share"] - waits["busyThreads"]
    transit = 0 if (waits["slots"] or math.inf) * 0.9 <= waits["busySlotsOfFullest"] * workers["processes"] else asking / per_sec
    idle = 1 - workers["cores"] / workers["processes"]
    threads = None if limit in ("slots", "connections", "loop") else waits["slots"]
    return {
        "users": round(pressure["facts"]["users"]),
        "threads": threads,
        "wait": stays * waits["busyThreads"] / per_sec + (limit == "consumer") / per_sec,
        "core": max(0 if threads is None else transit, ((facts["requestCpu"] or {}).get("queuedMs") or 0) / 1000),
        "cpu": workers["cores"] / per_sec / (1 + MORE_IN_IDLE * idle),
        "cores": round(workers["processes"]),
    }


def mean_value_analysis(population, delay, rates):
    """Exact, of a delay and a station that n requests leave at rates[n - 1]. Lazowska et al., 1984, chapter 8."""
    at = [1.0]
    per_sec = 0.0
    for n in range(1, population + 1):
        inside = sum(j / rates[j - 1] * at[j - 1] for j in range(1, n + 1))
        per_sec = n / (delay + inside)
        at = [0.0] + [per_sec / rates[j - 1] * at[j - 1] for j in range(1, n + 1)]
        at[0] = max(0.0, 1 - sum(at))
    return per_sec


def exactly(users, threads, wait, core, cpu, cores):
    of_cpu = [min(n, cores) / cpu for n in range(1, users + 1)]
    if threads is None or threads >= users:
        return mean_value_analysis(users, wait + core, of_cpu)
    inside = [mean_value_analysis(n, wait + core, of_cpu) for n in range(1, threads + 1)]
    return mean_value_analysis(users, 0, [inside[min(n, threads) - 1] for n in range(1, users + 1)])


def by_line(users, threads, wait, core, cpu, cores):
    if LN is None:
        return math.nan
    model = LayeredNetwork("requests")
    many = 10**6
    machine = [Processor(model, name, many, SchedStrategy.INF) for name in ("users", "waits")]
    worker = Processor(model, "workers", cores, SchedStrategy.PS)
    user = Task(model, "user", users, SchedStrategy.REF).on(machine[0])
    # With a thread for each user none queues; LINE's approximation of many servers would have some.
    is_free = threads is None or threads >= users
    thread = Task(model, "thread", many if is_free else threads, SchedStrategy.INF if is_free else SchedStrategy.FCFS)
    thread.on(worker)
    other = Task(model, "other", many, SchedStrategy.INF).on(machine[1])
    ask, serve, work = [Entry(model, f"e{n}").on(task) for n, task in enumerate((user, thread, other))]
    Activity(model, "asks", Immediate()).on(user).boundTo(ask).synchCall(serve, 1)
    Activity(model, "serves", Exp.fitMean(cpu)).on(thread).boundTo(serve).synchCall(work, 1).repliesTo(serve)
    Activity(model, "works", Exp.fitMean(wait + core)).on(other).boundTo(work).repliesTo(work)
    table = LN(model).avg_table()
    return float(table[table["Node"] == "user"]["Tput"].iloc[0])


def main():
    print(f"{'':46}{'now':>7}{'predicted':>11}{'range':>15}{'MVA':>7}{'LINE':>7}{'measured':>10}")
    for folder in sys.argv[1:]:
        for truth in sorted(pathlib.Path(folder).glob("*/truth.json")):
            bottleneck = json.loads((truth.parent / "run/report.json").read_text())["bottleneck"]
            measured = json.loads(truth.read_text())
            fix, needs = bottleneck["fix"], network(bottleneck)
            if not fix or not needs or not measured["after"]:
                continue
            now, after = fix["nowPerSec"], fix["afterPerSec"]
            figures = (exactly(**needs), by_line(**needs), now * measured["after"] / measured["before"])
            low_high = f"{after['low']:.0f} to {after['high']:.0f}"
            print(f"{truth.parent.name[:44]:46}{now:7.0f}{after['value']:11.0f}{low_high:>15}"
                  f"{figures[0]:7.0f}{figures[1]:7.0f}{figures[2]:10.0f}")


if __name__ == "__main__":
    main()
