/** Targets with a known truth: how throughput grows with concurrency, and 5 % of noise on it. */

import { meanOfRuns } from '../../../../lib/base/math/means.js';
import { estimateOverCells } from '../../../../lib/experiment/study/analysis/estimates.js';
import { findSaturation } from '../../../../lib/experiment/study/analysis/variant/saturation.js';

export const NOISE = 0.05;
/** Steps of a study that doubles up to 64 users. */
export const DOUBLING = [1, 2, 4, 8, 16, 32, 64];

/** @typedef {(n: number) => number} Target throughput per second with n at a time */

/** The universal scalability law. @param {number} lambda @param {number} sigma @param {number} kappa @returns {Target} */
export function uslTarget(lambda, sigma, kappa) {
  return n => (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

/** So many servers that share nothing: a straight line, a corner, and level. @param {number} servers @param {number} perServer @returns {Target} */
export function cornerTarget(servers, perServer = 100) {
  return n => Math.min(n, servers) * perServer;
}

/** G. Box, M. Muller, Annals of Mathematical Statistics 29 (1958). @param {() => number} random */
export function drawNormal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** One measurement. @param {Target} target @param {number} n @param {() => number} random */
export function measure(target, n, random) {
  return target(n) * Math.exp(NOISE * drawNormal(random));
}

/** A point per cell. @param {Target} target @param {number[]} steps @param {number} repeats @param {() => number} random */
export function measureCells(target, steps, repeats, random) {
  return steps.flatMap(n =>
    Array.from({ length: repeats }, () => ({ n, x: measure(target, n, random) })),
  );
}

/** A point per step. @param {Target} target @param {number[]} steps @param {number} repeats @param {() => number} random */
export function measureSteps(target, steps, repeats, random) {
  return steps.map(step => {
    const values = Array.from({ length: repeats }, () => measure(target, step, random));
    const [value = 0] = values;
    return {
      step,
      values,
      throughputPerSec: repeats > 1 ? meanOfRuns(values, 0.05) : { value, low: null, high: null },
      inFlight: step,
      isGeneratorLimit: false,
    };
  });
}

/** Saturation of points without cells. @param {any[]} points with `values` in the order of repeats */
export function saturationOf(points) {
  return findSaturation(points, steps => {
    const own = points.filter(({ step }) => steps.includes(step));
    const [first, ...more] = own;
    const cells = own.flatMap(({ values }) =>
      values.map((/** @type {number} */ top, /** @type {number} */ repeat) => ({
        repeat,
        top,
        bottom: 1,
        windows: [],
      })),
    );
    const all = estimateOverCells(cells);
    if (!all || more.length > 0 || first.values.length > 1) return all;
    return { ...all, estimate: first.throughputPerSec };
  });
}

/**
 * How many wait in a queue with Poisson arrivals and exponential service, seen at fixed moments.
 * @param {object} queue
 * @param {number} queue.arrivals per second @param {number} queue.completions per second, while there is work
 * @param {number} queue.start @param {number} queue.seconds @param {number} queue.everySec
 * @param {() => number} random
 * @returns {{t: number, value: number}[]}
 */
export function simulateQueue({ arrivals, completions, start, seconds, everySec }, random) {
  const wait = (/** @type {number} */ rate) => -Math.log(1 - random()) / rate;
  const seen = [];
  let [waiting, arrival, completion] = [start, wait(arrivals), wait(completions)];
  for (let look = 0; look * everySec <= seconds; look++) {
    while (Math.min(arrival, completion) < look * everySec) {
      if (arrival < completion) {
        waiting++;
        arrival += wait(arrivals);
      } else {
        waiting = Math.max(0, waiting - 1);
        completion += wait(completions);
      }
    }
    seen.push({ t: look * everySec * 1000, value: waiting });
  }
  return seen;
}

/** How often something is so, over seeds. @param {number} seeds @param {(seed: number) => boolean} test */
export function shareOf(seeds, test) {
  let count = 0;
  for (let seed = 1; seed <= seeds; seed++) if (test(seed * 7919)) count++;
  return count / seeds;
}

/** @param {import('../../../../lib/base/math/estimate.d.ts').Estimate | null} estimate @param {number} truth */
export function holds(estimate, truth) {
  if (!estimate) return false;
  return (estimate.low ?? -Infinity) <= truth && truth <= (estimate.high ?? Infinity);
}
