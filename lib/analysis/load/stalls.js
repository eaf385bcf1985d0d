/**
 * Times in which workers of the target, or all of it, did nothing while requests waited: a worker that was
 * stopped, swapped out or stuck. Percentiles over a whole run hide a few seconds.
 */
import { Sketch } from '../../math/sketch.js';
import { followProcesses, valueAt } from '../cpu.js';

/** @import { Stall, TimeRange } from '../report.d.ts' */

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
 * @param {[startMs: number, second: import('./seconds.js').Second][]} seconds of the load, oldest first
 * @param {Record<string, any>[]} processes records of `resources/processes.ndjson`
 * @param {import('../logs/read-logs.js').KeptLine[]} lines of the logs
 * @returns {Stall | null} the longest
 */
export function findStall(seconds, processes, lines) {
  const workers = followProcesses(processes).filter(({ series }) => series[0]?.role === 'worker');
  const starts = seconds.map(([startMs]) => startMs);
  const silent = findRuns(starts, index => seconds[index]?.[1].responses === 0);
  const still = workers.flatMap(({ series, points }) =>
    findRuns(starts, index => {
      const startMs = starts[index] ?? 0;
      return valueAt(points, startMs + SECOND_MS) - valueAt(points, startMs) < NOTHING_MS;
    }).map(range => ({ ...range, pid: Number(series[0]?.pid) })),
  );
  const [longest] = [...still, ...silent].sort((a, b) => lengthOf(b) - lengthOf(a));
  if (!longest) return null;
  const { startMs, endMs } = longest;
  const [inside, outside] = [new Sketch(), new Sketch()];
  for (const [atMs, { timeToFirstByte }] of seconds)
    (atMs >= startMs && atMs < endMs + SLACK_MS ? inside : outside).merge(timeToFirstByte);
  const leastMs = lengthOf(longest) * WAITED;
  const [waited, others] = [inside, outside].map(sketch => sketch.countAbove(leastMs));
  if (!waited || waited < (waited + (others ?? 0)) * NEARLY_ALL) return null;
  const all = new Sketch();
  for (const part of [inside, outside]) all.merge(part);
  const stopped = still.filter(
    one =>
      lengthOf(one) >= lengthOf(longest) * NEARLY_ALL && one.startMs < endMs && one.endMs > startMs,
  );
  const line = lines.find(
    ({ atMs, isAccess }) => !isAccess && atMs >= startMs - SLACK_MS && atMs <= endMs + SLACK_MS,
  );
  return {
    startMs,
    endMs,
    pids: [...new Set(stopped.map(({ pid }) => pid))],
    workers: workers.length,
    waited,
    p95Ms: { all: all.quantile(0.95) ?? 0, outside: outside.quantile(0.95) },
    p99Ms: { all: all.quantile(0.99) ?? 0, outside: outside.quantile(0.99) },
    line: line?.text ?? null,
  };
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
