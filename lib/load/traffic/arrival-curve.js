/** The arrivals in the busiest hour, approximated by a few straight lines. */
import { sum } from '../../base/math/summary.js';

/** @import { Curve, CurvePhase } from '../../run/facts/traffic.d.ts' */

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
/**
 * Relative deviation that always counts as noise, in addition to the variance n of a count of n independent arrivals.
 */
const CLOSE = 0.01;
/** The gain required for one more line: three parameters, by the criterion of G. Schwarz (1978), for 60 minutes. */
const PENALTY = 3 * Math.log(HOUR_MIN);
/** If the silence at an end is longer than this many mean gaps, the log started or ended within that minute. */
const LONG_GAP = 5;

/**
 * @param {ReadonlyMap<number, number>} perMinute requests per minute of the epoch
 * @param {{firstMs: number, lastMs: number}} span
 * @returns {Curve}
 */
export function buildCurve(perMinute, { firstMs, lastMs }) {
  const minutes = [...perMinute.keys()].sort((a, b) => a - b);
  const count = (/** @type {number} */ minute) => perMinute.get(minute) ?? 0;
  const isCut = (/** @type {number} */ minute, /** @type {number} */ silentMs) =>
    silentMs > 1000 + (LONG_GAP * MINUTE_MS) / count(minute);
  const [first = 0, last = 0] = [minutes[0], minutes.at(-1)];
  if (isCut(first, firstMs - first * MINUTE_MS)) minutes.shift();
  if (isCut(last, (last + 1) * MINUTE_MS - lastMs)) minutes.pop();
  let best = { from: 0, counts: [0] };
  for (const from of minutes) {
    const length = Math.min(HOUR_MIN, (minutes.at(-1) ?? from) + 1 - from);
    const counts = Array.from({ length }, (_, at) => count(from + at));
    if (sum(counts) > sum(best.counts)) best = { from, counts };
  }
  if (sum(best.counts) > 0)
    return { fromMs: best.from * MINUTE_MS, phases: fitPhases(best.counts) };
  const seconds = Math.max(1, Math.ceil((lastMs - firstMs) / 1000));
  const perSec = sum([...perMinute.values()]) / seconds;
  return { fromMs: firstMs, phases: [{ seconds, fromPerSec: perSec, toPerSec: perSec }] };
}

/**
 * Segmented least squares (R. Bellman, 1961): the lines that fit the counts best, and as few as possible.
 * @param {number[]} counts per minute
 * @returns {CurvePhase[]} each with the same number of arrivals as its minutes
 */
export function fitPhases(counts) {
  const best = [{ cost: 0, phases: /** @type {CurvePhase[]} */ ([]) }];
  for (let end = 1; end <= counts.length; end++) {
    const [first, ...others] = best.map(({ cost, phases }, at) => {
      const { chiSquared, ...phase } = fitLine(counts.slice(at, end));
      return { cost: cost + chiSquared + PENALTY, phases: [...phases, phase] };
    });
    if (first) best.push(others.reduce((a, b) => (b.cost < a.cost ? b : a), first));
  }
  return best.at(-1)?.phases ?? [];
}

/** By least squares, which preserves the sum. @param {number[]} counts at least one */
function fitLine(counts) {
  const { length } = counts;
  const mean = sum(counts) / length;
  const middle = (length - 1) / 2;
  const spread = sum(counts.map((_, at) => (at - middle) ** 2)) || 1;
  const slope = sum(counts.map((n, at) => (at - middle) * n)) / spread;
  const misses = counts.map(
    (n, at) => (n - mean - slope * (at - middle)) ** 2 / Math.max(1, n + (CLOSE * n) ** 2),
  );
  const [from, to] = [mean - (slope * length) / 2, mean + (slope * length) / 2];
  const chiSquared = from < 0 || to < 0 ? Infinity : sum(misses);
  return { seconds: length * 60, fromPerSec: from / 60, toPerSec: to / 60, chiSquared };
}
