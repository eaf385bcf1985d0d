/** Times without any response although requests waited for one; and the end of the server. */
import { mergeSketches } from '../../base/math/sketch.js';
import { ofKind } from '../../run/ndjson.js';
import { SECOND_MS } from '../read/load/build-grid.js';

/** @import { LoadReport, Stall } from '../../run/facts/load-report.d.ts' */
/** @import { TimeRange } from '../../base/math/estimate.d.ts' */

/** Shorter ones are pauses that happen on any machine. */
const LEAST_SEC = 3;
/** Share of a stall's length: a response that took this long waited for the stall's end … */
const WAITED = 0.6;
/** … if nearly all responses this slow were in it. */
const NEARLY_ALL = 0.8;
/** Responses arrive up to this much after the end of a stall: only whole seconds are recorded. */
const SLACK_MS = 2000;

/**
 * The longest time without a response of the target: stopped, swapped out, or entirely stuck in one call.
 * Percentiles over a whole run hide a few seconds.
 * @param {Pick<import('../read/load/load-totals.js').LoadTotals, 'seconds' | 'tests'>} load
 * @returns {Stall | null}
 */
export function findStall({ seconds: all, tests }) {
  const seconds = all.entries();
  const watched = tests.flatMap(({ records }) => ofKind(records, 'generator'));
  for (const range of findSilence(seconds).sort((a, b) => lengthOf(b) - lengthOf(a))) {
    const { startMs, endMs } = range;
    // The generator itself stalled, and read no response.
    const isOurs = watched.some(
      ({ fromMs, lengthMs, delayMs }) =>
        (delayMs?.max ?? 0) >= lengthOf(range) * WAITED &&
        fromMs < endMs &&
        fromMs + lengthMs > startMs,
    );
    const waits = isOurs ? null : measureWaits(seconds, range);
    if (waits) return { ...range, ...waits };
  }
  return null;
}

/**
 * Responses that waited for the end of a range, if next to none took this long elsewhere.
 * @param {[startMs: number, second: import('../read/load/seconds.js').Second][]} seconds oldest first @param {TimeRange} range
 * @returns {Pick<Stall, 'waited' | 'p99Ms'> | null}
 */
function measureWaits(seconds, range) {
  const leastMs = lengthOf(range) * WAITED;
  const [inside, outside] = [true, false].map(wanted =>
    mergeSketches(
      seconds.flatMap(([atMs, { timeToFirstByte }]) =>
        (atMs >= range.startMs && atMs < range.endMs + SLACK_MS) === wanted
          ? [timeToFirstByte]
          : [],
      ),
    ),
  );
  if (!inside || !outside) return null;
  const [waited, others] = [inside.countAbove(leastMs), outside.countAbove(leastMs)];
  if (waited === 0 || waited < (waited + others) * NEARLY_ALL) return null;
  const all = mergeSketches([inside, outside]).quantile(0.99) ?? 0;
  return { waited, p99Ms: { all, outside: outside.quantile(0.99) } };
}

/**
 * At least three seconds in a row without a response.
 * @param {[startMs: number, second: import('../read/load/seconds.js').Second][]} seconds oldest first
 * @returns {TimeRange[]}
 */
function findSilence(seconds) {
  /** @type {TimeRange[]} */
  const ranges = [];
  for (const [startMs, { responses }] of seconds) {
    if (responses > 0) continue;
    const last = ranges.at(-1);
    if (last?.endMs === startMs) last.endMs += SECOND_MS;
    else ranges.push({ startMs, endMs: startMs + SECOND_MS });
  }
  return ranges.filter(range => lengthOf(range) >= LEAST_SEC * SECOND_MS);
}

/** @param {TimeRange} range */
const lengthOf = ({ startMs, endMs }) => endMs - startMs;

// -- The end of the server: every failure after it is its consequence.

/** One refused connection may be a restart. */
const LEAST_REFUSED = 3;
/** A restart usually takes less. */
const LEAST_MS = 2000;

/**
 * Either its watched process ended, or every connection was refused from some second to the end.
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
