/**
 * Times in which workers of the target, or all of it, did nothing while requests waited: a worker that was
 * stopped, swapped out or stuck. Percentiles over a whole run hide a few seconds.
 */
import { Sketch } from '../../math/sketch.js';
import { ofKind } from '../../run/ndjson.js';
import { followProcesses, valueAt } from '../read/cpu.js';

/** @import { LoadReport, Stall } from '../../facts/load-report.d.ts' */
/** @import { TimeRange } from '../../facts/estimate.d.ts' */

const SECOND_MS = 1000;
/** Shorter ones are pauses that any machine makes. */
const LEAST_SEC = 3;
/** Of CPU in a second: less is nothing. */
const NOTHING_MS = 1;
/** Of the length of a stall: who waited so long waited for its end … */
const WAITED = 0.6;
/** … if next to nobody else in the run waited so long. */
const NEARLY_ALL = 0.8;
/** Answers arrive up to so much later than the stall ended; whole seconds are recorded. */
const SLACK_MS = 2000;

/**
 * @param {Pick<import('./load-totals.js').LoadTotals, 'seconds' | 'tests'>} load
 * @param {import('../read/read-run.js').RunRecords['processes']} processes
 * @param {import('./logs/read-logs.js').KeptLine[]} lines of the logs
 * @returns {Stall | null} the longest
 */
export function findStall(load, processes, lines) {
  const seconds = load.seconds.entries();
  const watched = load.tests.flatMap(({ records }) => ofKind(records, 'generator'));
  const workers = followProcesses(processes).filter(({ role }) => role === 'worker');
  const starts = seconds.map(([startMs]) => startMs);
  const silent = findRuns(starts, index => seconds[index]?.[1].responses === 0);
  const still = workers.flatMap(({ pid, points, lived }) =>
    findRuns(starts, index => {
      const startMs = starts[index] ?? 0;
      const endMs = startMs + SECOND_MS;
      if (startMs < lived.startMs || endMs > lived.endMs) return false;
      return valueAt(points, endMs) - valueAt(points, startMs) < NOTHING_MS;
    }).map(range => ({ ...range, pid })),
  );
  for (const range of [...still, ...silent].sort((a, b) => lengthOf(b) - lengthOf(a))) {
    const waits = measureWaits(seconds, range);
    const { startMs, endMs } = range;
    // Who took the answers stood still, and not who gave them.
    const isOurs = watched.some(
      ({ fromMs, lengthMs, delayMs }) =>
        (delayMs?.max ?? 0) >= lengthOf(range) * WAITED &&
        fromMs < endMs &&
        fromMs + lengthMs > startMs,
    );
    if (!waits || isOurs) continue;
    const stopped = still.filter(
      one =>
        lengthOf(one) >= lengthOf(range) * NEARLY_ALL && one.startMs < endMs && one.endMs > startMs,
    );
    const line = lines.find(
      ({ atMs, isAccess }) => !isAccess && atMs >= startMs - SLACK_MS && atMs <= endMs + SLACK_MS,
    );
    const pids = [...new Set(stopped.map(({ pid }) => pid))];
    const there = workers.filter(({ lived }) => lived.startMs <= startMs && lived.endMs > startMs);
    return { startMs, endMs, pids, workers: there.length, ...waits, line: line?.text ?? null };
  }
  return null;
}

/**
 * Answers that waited for the end of a time, if next to none did elsewhere.
 * @param {[startMs: number, second: import('./seconds.js').Second][]} seconds oldest first @param {TimeRange} range
 * @returns {Pick<Stall, 'waited' | 'p95Ms' | 'p99Ms'> | null}
 */
function measureWaits(seconds, range) {
  const leastMs = lengthOf(range) * WAITED;
  const [during, rest] = [true, false].map(wanted =>
    seconds.flatMap(([atMs, { timeToFirstByte }]) =>
      (atMs >= range.startMs && atMs < range.endMs + SLACK_MS) === wanted ? [timeToFirstByte] : [],
    ),
  );
  // Most candidates are idle workers: nothing is added up for them.
  if (!during?.some(({ count, max }) => count > 0 && max >= leastMs)) return null;
  const [inside, outside] = [addUp(during), addUp(rest ?? [])];
  const all = addUp([inside, outside]);
  const [waited, others] = [inside.countAbove(leastMs), outside.countAbove(leastMs)];
  if (waited < (waited + others) * NEARLY_ALL) return null;
  const tell = (/** @type {number} */ q) => ({
    all: all.quantile(q) ?? 0,
    outside: outside.quantile(q),
  });
  return { waited, p95Ms: tell(0.95), p99Ms: tell(0.99) };
}

/** @param {Sketch[]} sketches */
function addUp(sketches) {
  const sum = new Sketch();
  for (const one of sketches) sum.merge(one);
  return sum;
}

/** Seconds in a row, at least three, for which something holds. @param {number[]} starts @param {(index: number) => boolean} holds @returns {TimeRange[]} */
function findRuns(starts, holds) {
  /** @type {TimeRange[]} */
  const runs = [];
  starts.forEach((startMs, index) => {
    if (!holds(index)) return;
    const last = runs.at(-1);
    if (last?.endMs === startMs) last.endMs += SECOND_MS;
    else runs.push({ startMs, endMs: startMs + SECOND_MS });
  });
  return runs.filter(range => lengthOf(range) >= LEAST_SEC * SECOND_MS);
}

/** @param {TimeRange} range */
function lengthOf({ startMs, endMs }) {
  return endMs - startMs;
}

// -- The end of the server: every failure after it is its consequence.

/** One refused connection may be a restart. */
const LEAST_REFUSED = 3;
/** A restart takes less, mostly. */
const LEAST_MS = 2000;

/**
 * Its process was watched and ended, or every connection was refused from some second on to the end.
 * @param {Pick<import('../read/read-run.js').RunRecords, 'events' | 'load'>} records
 * @param {TimeRange} window of the load
 * @returns {LoadReport['serverEnd']}
 */
export function findServerEnd({ events, load }, { startMs, endMs }) {
  const gone = ofKind(events, 'target-gone').find(({ pid, t }) => pid && t >= startMs && t < endMs);
  if (gone?.pid) return { pid: gone.pid, afterMs: gone.t - startMs };
  const answered = load.seconds.entries().findLast(([, { responses }]) => responses > 0);
  if (!answered) return null;
  const silentMs = answered[0] + SECOND_MS;
  const refused = [...load.errors.countsOf('ECONNREFUSED')]
    .filter(([second]) => second * SECOND_MS >= silentMs)
    .reduce((sum, [, count]) => sum + count, 0);
  if (refused < LEAST_REFUSED || endMs - silentMs < LEAST_MS) return null;
  return { pid: null, afterMs: silentMs - startMs };
}
