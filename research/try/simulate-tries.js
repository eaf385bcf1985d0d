/** Tries of two sides, made of recorded runs of one version. */
import { createRandom } from '../../lib/base/math/random.js';
import { decide, drawOrder, isDecided } from '../../lib/experiment/strategies/pairs.js';

/** `errors`: within the run, of the logarithm; none: it does not vary within @typedef {{throughputPerSec: number, cpuMsPerRequest: number, errors?: {throughputPerSec: number, cpuMsPerRequest: number}}} Run */

/** @import { Pair } from '../../lib/experiment/strategies/pairs.js' */

/** Neighbouring runs that stay together: a pair of pairs. */
const STRETCH = 4;
const SMALLEST = 0.05;

/**
 * @param {Run[]} runs in the order in which they were measured
 * @param {{tries: number, factor: number, seed: number, spread?: number, mostPairs?: number}} options `factor`: what side B's CPU per request
 *   is of A's, and throughput the inverse; `mostPairs`: in 12 minutes, 17 pairs of runs of 10 s
 * @returns {{wrong: number, found: Record<'cpu' | 'rate', number>}} tries that show a wrong direction, or any where there
 *   is no change, after any pair; tries that found the change
 */
export function simulateTries(runs, { tries, factor, seed, spread, mostPairs = 17 }) {
  const random = createRandom(seed);
  const result = { wrong: 0, found: { cpu: 0, rate: 0 } };
  for (let n = 0; n < tries; n++) {
    const { cpu, rate, shown } = simulateTry(runs, { factor, spread, mostPairs }, random);
    const right = factor === 1 ? [] : [factor > 1 ? 'worse' : 'better'];
    if (shown.some(call => !right.includes(call))) result.wrong++;
    if (right.includes(cpu.call)) result.found.cpu++;
    if (right.includes(rate.call)) result.found.rate++;
  }
  return result;
}

/**
 * @param {Run[]} runs @param {{factor: number, spread: number | undefined, mostPairs: number}} side
 * @param {() => number} random
 */
function simulateTry(runs, { factor, spread, mostPairs }, random) {
  /** @type {Pair[][]} */
  const [cpuPairs = [], ratePairs = []] = [[], []];
  /** @type {Run[]} */
  let stretch = [];
  const options = { measures: 2, smallest: SMALLEST, spread };
  /** Each difference that a user reads on the way. @type {Set<string>} */
  const shown = new Set();
  for (let number = 0; ; number++) {
    const cpu = decide('cpuMsPerRequest', cpuPairs, options);
    const rate = decide('throughputPerSec', ratePairs, options);
    for (const { call } of [cpu, rate]) if (call === 'better' || call === 'worse') shown.add(call);
    if (number === mostPairs || isDecided([cpu, rate])) return { cpu, rate, shown: [...shown] };
    if (stretch.length < 2) {
      const from = Math.floor(random() * (runs.length - STRETCH + 1));
      stretch = runs.slice(from, from + STRETCH);
    }
    const [first, second] = stretch.splice(0, 2);
    if (!first || !second) throw new TypeError('too few runs');
    const [a, b] = drawOrder(random)[0] === 'a' ? [first, second] : [second, first];
    const pair = (/** @type {'cpuMsPerRequest' | 'throughputPerSec'} */ key, by = factor) => ({
      a: a[key],
      b: b[key] * by,
      error: Math.hypot(a.errors?.[key] ?? 0, b.errors?.[key] ?? 0),
    });
    cpuPairs.push(pair('cpuMsPerRequest'));
    ratePairs.push(pair('throughputPerSec', 1 / factor));
  }
}
