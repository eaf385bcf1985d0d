/**
 * CPU time that the workers use without requests: timers, heartbeats, event loops that wake up. At low rates it would
 * dominate the apparent cost of a request.
 */
import { least, most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { growthIn } from '../read/cpu.js';
import { windowsOf } from '../read/load/build-grid.js';
import { totalLengthMs } from '../read/load/load-totals.js';
import { followThreads } from './threads.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Estimate, TimeRange } from '../../base/math/estimate.d.ts' */

/**
 * Share of the CPU time. Above it too many samples belong to no request to give a path a cost, and the variation of
 * idle CPU (`VARIES`) is large against the cost of a request.
 */
export const MUCH_IDLE = 0.05;

/** Length of the idle time before the load, at most: earlier CPU may be the server's start. */
const LONGEST_MS = 3000;
/** In less time, a single wake-up changes the result. */
const SHORTEST_MS = 1500;
/** From one time to another, at least: a steady timer used 40 to 43 ms a second in four runs. */
const VARIES = 0.05;
/** Length of the pieces whose least and most give the interval. */
const PIECE_MS = 500;
/** Idle CPU is at most what the workers used in the quietest stretch of this length under load. */
const STRETCH_MS = 2000;
/** With more times that much before the load, the server was still starting. */
const STARTING = 2;

/**
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`; the scheduler's account of threads is
 *   precise enough, ticks of 10 ms are not
 * @param {number} sinceMs when the recorders were running
 * @param {TimeRange[]} windows of the load
 * @param {object} [more]
 * @param {number} [more.requestsMs] CPU time that the companion measured in requests of the windows
 * @param {number} [more.loadMs] when the load began
 * @param {number} [more.clockMs] uncertainty of that, in a merged run
 * @returns {Estimate | null} cores of all workers; null where too little time without requests was recorded
 */
export function measureIdle(
  records,
  sinceMs,
  windows,
  { requestsMs = 0, loadMs = windows[0]?.startMs ?? -Infinity, clockMs = 0 } = {},
) {
  const threads = followThreads(records).flatMap(({ series: [points = []] }) => [points]);
  const times = ofKind(records, 'host').map(({ t }) => t);
  const startMs = Math.max(sinceMs, loadMs - LONGEST_MS, least(times.filter(t => t >= sinceMs)));
  // What is read next contains the first requests.
  const endMs = most(times.filter(t => t <= loadMs - clockMs));
  if (threads.length === 0 || endMs - startMs < SHORTEST_MS) return null;
  const coresIn = (/** @type {TimeRange} */ range) =>
    sum(threads.map(points => growthIn(points, range))) / (range.endMs - range.startMs);
  const idle = { startMs, endMs };
  const pieces = divide(idle, PIECE_MS).map(coresIn);
  const quietest = least(windows.flatMap(window => divide(window, STRETCH_MS)).map(coresIn));
  const usedMs = sum(windows.map(window => coresIn(window) * (window.endMs - window.startMs)));
  const bound = Math.min(quietest, Math.max(0, usedMs - requestsMs) / totalLengthMs(windows));
  const value = coresIn(idle);
  if (requestsMs === 0 && value > STARTING * bound) return null;
  return {
    value: Math.min(value, bound),
    low: value > STARTING * bound ? 0 : Math.min(least(pieces), value * (1 - VARIES), bound),
    high: Math.min(Math.max(most(pieces), value * (1 + VARIES)), bound),
  };
}

/** @param {TimeRange} range @param {number} lengthMs parts of about that length */
function divide({ startMs, endMs }, lengthMs) {
  const count = Math.max(1, Math.floor((endMs - startMs) / lengthMs));
  const step = (endMs - startMs) / count;
  return windowsOf(Array.from({ length: count + 1 }, (_, at) => startMs + at * step));
}
