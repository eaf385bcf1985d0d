/** Tries of two sides, made of recorded runs of one version. */
import { createRandom } from '../../lib/math/random.js';
import { decide, isDecided, orderOf } from '../../lib/try/decide.js';

/** @typedef {{throughputPerSec: number, cpuMsPerRequest: number}} Run */

/** A look that fits into 12 minutes: 20 pairs with runs of 10 s on a quiet machine. */
const MOST_PAIRS = 17;
/** Neighbouring runs that stay together: a pair of pairs. */
const STRETCH = 4;
const SMALLEST = 0.05;

/**
 * @param {Run[]} runs in the order in which they were measured
 * @param {{tries: number, factor: number, seed: number}} options `factor`: what side B's CPU per request is of A's;
 *   throughput is the inverse
 * @returns {{wrong: number, found: number, decided: number, pairs: number}} tries with a call of the wrong direction, or
 *   of any where there is no change; tries that found the change of CPU; tries that decided both figures; mean number of pairs
 */
export function simulateTries(runs, { tries, factor, seed }) {
  const random = createRandom(seed);
  const result = { wrong: 0, found: 0, decided: 0, pairs: 0 };
  for (let n = 0; n < tries; n++) {
    const { cpu, throughput, pairs } = simulateTry(runs, factor, random);
    const right = factor === 1 ? [] : [factor > 1 ? 'worse' : 'better'];
    const calls = [cpu.call, throughput.call].filter(call => call === 'better' || call === 'worse');
    if (calls.some(call => !right.includes(call))) result.wrong++;
    if (right.includes(cpu.call)) result.found++;
    if (isDecided([cpu, throughput])) result.decided++;
    result.pairs += pairs / tries;
  }
  return result;
}

/** @param {Run[]} runs @param {number} factor @param {() => number} random */
function simulateTry(runs, factor, random) {
  const [cpuPairs, throughputPairs] = [[], []].map(
    () => /** @type {{a: number, b: number}[]} */ ([]),
  );
  /** @type {Run[]} */
  let stretch = [];
  const options = { measures: 2, smallest: SMALLEST };
  for (let number = 0; ; number++) {
    const cpu = decide('cpuMsPerRequest', cpuPairs ?? [], options);
    const throughput = decide('throughputPerSec', throughputPairs ?? [], options);
    if (number === MOST_PAIRS || isDecided([cpu, throughput]))
      return { cpu, throughput, pairs: number };
    if (stretch.length < 2) {
      const from = Math.floor(random() * (runs.length - STRETCH + 1));
      stretch = runs.slice(from, from + STRETCH);
    }
    const [first, second] = stretch.splice(0, 2);
    if (!first || !second) throw new TypeError('too few runs');
    const [a, b] = orderOf(number)[0] === 'a' ? [first, second] : [second, first];
    cpuPairs?.push({ a: a.cpuMsPerRequest, b: b.cpuMsPerRequest * factor });
    throughputPairs?.push({ a: a.throughputPerSec, b: b.throughputPerSec / factor });
  }
}
