/** Tries of two sides, made of recorded runs of one version. */
import { createRandom } from '../../lib/base/math/random.js';
import { decide, isDecided, orderOf } from '../../lib/experiment/strategies/pairs.js';

/** `errors`: within the run, of the logarithm; none: it does not vary within @typedef {{throughputPerSec: number, cpuMsPerRequest: number, errors?: {throughputPerSec: number, cpuMsPerRequest: number}}} Run */

/** @import { Pair } from '../../lib/experiment/strategies/pairs.js' */

/** A look that fits into 12 minutes: 20 pairs with runs of 10 s on a quiet machine. */
const MOST_PAIRS = 17;
/** Neighbouring runs that stay together: a pair of pairs. */
const STRETCH = 4;
const SMALLEST = 0.05;

/**
 * @param {Run[]} runs in the order in which they were measured
 * @param {{tries: number, factor: number, seed: number, spread?: number}} options `factor`: what side B's CPU per request is of A's;
 *   throughput is the inverse
 * @returns {{wrong: number, found: number, pairs: number}} tries with a call of the wrong direction, or
 *   of any where there is no change; tries that found the change of CPU; mean number of pairs
 */
export function simulateTries(runs, { tries, factor, seed, spread }) {
  const random = createRandom(seed);
  const result = { wrong: 0, found: 0, pairs: 0 };
  for (let n = 0; n < tries; n++) {
    const { cpu, rate, pairs } = simulateTry(runs, { factor, spread }, random);
    const right = factor === 1 ? [] : [factor > 1 ? 'worse' : 'better'];
    const calls = [cpu.call, rate.call].filter(call => call === 'better' || call === 'worse');
    if (calls.some(call => !right.includes(call))) result.wrong++;
    if (right.includes(cpu.call)) result.found++;
    result.pairs += pairs / tries;
  }
  return result;
}

/** @param {Run[]} runs @param {{factor: number, spread: number | undefined}} side @param {() => number} random */
function simulateTry(runs, { factor, spread }, random) {
  /** @type {Pair[][]} */
  const [cpuPairs = [], ratePairs = []] = [[], []];
  /** @type {Run[]} */
  let stretch = [];
  const options = { measures: 2, smallest: SMALLEST, spread };
  for (let number = 0; ; number++) {
    const cpu = decide('cpuMsPerRequest', cpuPairs, options);
    const rate = decide('throughputPerSec', ratePairs, options);
    if (number === MOST_PAIRS || isDecided([cpu, rate])) return { cpu, rate, pairs: number };
    if (stretch.length < 2) {
      const from = Math.floor(random() * (runs.length - STRETCH + 1));
      stretch = runs.slice(from, from + STRETCH);
    }
    const [first, second] = stretch.splice(0, 2);
    if (!first || !second) throw new TypeError('too few runs');
    const [a, b] = orderOf(number)[0] === 'a' ? [first, second] : [second, first];
    const pair = (/** @type {'cpuMsPerRequest' | 'throughputPerSec'} */ key, by = factor) => ({
      a: a[key],
      b: b[key] * by,
      error: Math.hypot(a.errors?.[key] ?? 0, b.errors?.[key] ?? 0),
    });
    cpuPairs.push(pair('cpuMsPerRequest'));
    ratePairs.push(pair('throughputPerSec', 1 / factor));
  }
}
