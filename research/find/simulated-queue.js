/** M/D/c queues and what a step measures of them, without waiting. */

import { studentTwoSidedQuantile } from '../../lib/base/math/distributions.js';
import { standardDeviation } from '../../lib/base/math/summary.js';
import { findGrowth } from '../../lib/experiment/find/judge-step.js';

/** @typedef {{servers: number, serviceMs: number, isEven?: boolean}} Queue `isEven`: arrivals are evenly spaced */

const SETTLE_SEC = 5;
const RESAMPLES = 100;
/** Latencies in steps of 2 %, as in the sketches of a run. */
const [GAMMA, BINS] = [1.02, 400];

/**
 * Latencies of a first-come-first-served queue that begins empty, after it has settled.
 * @param {Queue} queue @param {number} perSec @param {number} seconds @param {() => number} random
 * @returns {{atMs: number, ms: number}[]} in the order of arrival
 */
export function simulateQueue({ servers, serviceMs, isEven = false }, perSec, seconds, random) {
  const freeAtMs = new Float64Array(servers);
  const arrivals = [];
  const endMs = 1000 * (SETTLE_SEC + seconds);
  for (let atMs = 0; atMs < endMs; ) {
    let place = 0;
    for (let at = 1; at < servers; at++)
      if ((freeAtMs[at] ?? 0) < (freeAtMs[place] ?? 0)) place = at;
    const done = Math.max(atMs, freeAtMs[place] ?? 0) + serviceMs;
    freeAtMs[place] = done;
    if (atMs >= 1000 * SETTLE_SEC)
      arrivals.push({ atMs: atMs - 1000 * SETTLE_SEC, ms: done - atMs });
    atMs += (1000 / perSec) * (isEven ? 1 : -Math.log(1 - random()));
  }
  return arrivals;
}

/**
 * The rate at which p95 reaches a limit, by bisection over long simulations.
 * @param {Queue} queue @param {number} limitMs @param {() => number} random
 */
export function findTruth(queue, limitMs, random) {
  let high = (1000 * queue.servers) / queue.serviceMs;
  let low = high / 5;
  for (let n = 0; n < 9; n++) {
    const middle = (low + high) / 2;
    const sorted = simulateQueue(queue, middle, 200_000 / middle, random)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    if ((sorted[Math.floor(0.95 * sorted.length)] ?? 0) < limitMs) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * A step, judged as one of a real run is: p95 with the interval of a bootstrap over blocks of ∛n seconds.
 * @param {Queue} queue @param {number} level @param {{limitMs: number, seconds: number, random: () => number}} options
 */
export function simulateStep(queue, level, { limitMs, seconds, random }) {
  const arrivals = simulateQueue(queue, level, seconds, random);
  const inFlight = Array.from({ length: seconds }, (_, second) => {
    const endMs = 1000 * (second + 1);
    return arrivals.filter(({ atMs, ms }) => atMs < endMs && atMs + ms >= endMs).length;
  });
  if (findGrowth(inFlight, level)) return { level, margin: { value: 1, low: -1, high: 1 } };
  const length = Math.ceil(Math.cbrt(seconds));
  const blocks = Array.from({ length: Math.ceil(seconds / length) }, () => new Float64Array(BINS));
  for (const { atMs, ms } of arrivals) {
    const counts = blocks[Math.floor(atMs / 1000 / length)] ?? new Float64Array(BINS);
    const bin = Math.min(BINS - 1, Math.round(Math.log(ms) / Math.log(GAMMA)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const p95 = (/** @type {Float64Array[]} */ drawn) => {
    const total = drawn.reduce((sum, counts) => sum + counts.reduce((a, b) => a + b, 0), 0);
    let above = 0;
    for (let bin = BINS - 1; ; bin--) {
      for (const counts of drawn) above += counts[bin] ?? 0;
      if (above > 0.05 * total || bin === 0) return GAMMA ** bin;
    }
  };
  const draws = Array.from({ length: RESAMPLES }, () =>
    p95(blocks.map(() => blocks[Math.floor(random() * blocks.length)] ?? new Float64Array(BINS))),
  );
  const free = blocks.length - 1;
  const t = studentTwoSidedQuantile(0.05, free) * Math.sqrt((free + 1) / free);
  const half = (t * standardDeviation(draws)) / limitMs;
  const value = p95(blocks) / limitMs - 1;
  return { level, margin: { value, low: value - half, high: value + half } };
}
