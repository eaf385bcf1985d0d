/** The arrivals of the busiest hour, and the few straight lines that follow them. */
import { sum } from '../math/summary.js';

/** @import { Curve, CurvePhase } from '../facts/traffic.d.ts' */

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
/** A line follows counts if none is farther from it … */
const CLOSE = 0.05;
/** … or if they are no farther than chance makes them: n independent arrivals have the variance n. */
const MOST_SIGMA = 3;
const MOST_CHI_SQUARED = 1.5;
/** After a silence of so many usual gaps, a log began or ended inside the minute. */
const LONG_GAP = 5;

/**
 * @param {ReadonlyMap<number, number>} perMinute requests, by minutes of the epoch
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
 * @param {number[]} counts per minute
 * @returns {CurvePhase[]} from each minute on the longest line, with as many arrivals as its minutes had
 */
export function fitPhases(counts) {
  const phases = [];
  for (let at = 0, end = counts.length; at < counts.length; at = end) {
    end = counts.length;
    let line = fitLine(counts.slice(at));
    while (!line.isClose) line = fitLine(counts.slice(at, --end));
    phases.push({ seconds: (end - at) * 60, fromPerSec: line.from / 60, toPerSec: line.to / 60 });
  }
  return phases;
}

/** By least squares, which keep the sum. @param {number[]} counts at least one */
function fitLine(counts) {
  const { length } = counts;
  const mean = sum(counts) / length;
  const middle = (length - 1) / 2;
  const spread = sum(counts.map((_, at) => (at - middle) ** 2)) || 1;
  const slope = sum(counts.map((n, at) => (at - middle) * n)) / spread;
  const misses = counts.map((n, at) => ({ n, by: Math.abs(n - mean - slope * (at - middle)) }));
  const [from, to] = [mean - (slope * length) / 2, mean + (slope * length) / 2];
  const squares = misses.map(({ n, by }) => by ** 2 / Math.max(1, n));
  const isChance =
    squares.every(one => one <= MOST_SIGMA ** 2) && sum(squares) / length <= MOST_CHI_SQUARED;
  const isClose = isChance || misses.every(({ n, by }) => by <= CLOSE * n);
  return { from, to, isClose: length === 1 || (isClose && from >= 0 && to >= 0) };
}
