/** Changes between the halves of pairs whose order was drawn by lot: exact, without a bell curve. */
import { createRandom } from '../../lib/base/math/random.js';
import { mean } from '../../lib/base/math/summary.js';

/** Two-sided. */
const ALPHA = 0.05;
/** With fewer no arrangement of signs is rarer than 5 %: 2 ÷ 2⁵ is 6.25 %. */
export const LEAST_PAIRS = 6;
/** All arrangements of so many pairs are looked at, of more a sample of them. */
const MOST_EXACT = 12;
const DRAWN = 4000;
const BISECTIONS = 40;

/**
 * The mean change and its 95 % interval: what a sign-flip permutation test (R. A. Fisher, "The Design of
 * Experiments", 1935, §21) does not reject. Pairs are the blocks: what hangs together inside of a window
 * stays together.
 * @param {number[]} ratios with ÷ without, one per pair, above 0
 * @param {{seed?: number}} [options]
 * @returns {{value: number, low: number | null, high: number | null} | null} as a change: 0.05 is 5 % more; no interval with
 *   fewer than six pairs; null without any
 */
export function estimateChange(ratios, { seed = 1 } = {}) {
  if (ratios.length === 0) return null;
  const logs = ratios.map(Math.log);
  const middle = mean(logs);
  const value = Math.expm1(middle);
  if (ratios.length < LEAST_PAIRS) return { value, low: null, high: null };
  const signs = listSigns(ratios.length, seed);
  const reach = Math.max(...logs.map(log => Math.abs(log - middle))) * 2 + 1e-9;
  /** @param {-1 | 1} side the last change on this side that is not rejected */
  const edge = side => {
    let [inside, outside] = [0, reach];
    for (let step = 0; step < BISECTIONS; step++) {
      const half = (inside + outside) / 2;
      if (flipTest(logs, middle + side * half, signs) > ALPHA) inside = half;
      else outside = half;
    }
    return Math.expm1(middle + side * inside);
  };
  return { value, low: edge(-1), high: edge(1) };
}

/**
 * How often signs thrown at random bring the mean as far from `center` as it is.
 * @param {number[]} values @param {number} center @param {Int8Array[]} signs
 */
function flipTest(values, center, signs) {
  const centered = values.map(value => value - center);
  const found = Math.abs(mean(centered)) - 1e-12;
  let asFar = 0;
  for (const flips of signs) {
    let sum = 0;
    for (let index = 0; index < centered.length; index++) {
      sum += (centered[index] ?? 0) * (flips[index] ?? 1);
    }
    if (Math.abs(sum / centered.length) >= found) asFar++;
  }
  return asFar / signs.length;
}

/** @param {number} pairs @param {number} seed */
function listSigns(pairs, seed) {
  const random = createRandom(seed);
  const isExact = pairs <= MOST_EXACT;
  return Array.from({ length: isExact ? 2 ** pairs : DRAWN }, (_, n) =>
    Int8Array.from({ length: pairs }, (_, index) => {
      if (isExact) return (n >> index) & 1 ? -1 : 1;
      // The arrangement that was found is one of them.
      return n === 0 || random() < 0.5 ? 1 : -1;
    }),
  );
}
