/**
 * Tests of two groups of runs without assumptions about their distribution.
 *
 * All use the exact distribution of a rank sum under the null hypothesis that the side of a run does not matter. It
 * is counted by the recursion of H. Mann and D. Whitney (Annals of Mathematical Statistics 18, 1947). Ties get
 * midranks, doubled here so that all sums are whole numbers (B. Streitberg, J. Röhmel, "Exact distributions for
 * permutation and rank tests", 1986).
 */

import { median, sum } from './summary.js';

/** @type {Map<string, Float64Array>} most rows of a comparison have no ties and share one distribution */
const known = new Map();
const MOST_KNOWN = 200;

/**
 * Doubled midranks of values.
 * @param {number[]} values
 * @returns {number[]} in the order of the values
 */
function rankDoubled(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map(value => sorted.indexOf(value) + 1 + sorted.lastIndexOf(value) + 1);
}

/**
 * Number of ways to choose `size` of the ranks, by their sum.
 * @param {number[]} ranks whole numbers, doubled ranks above all
 * @param {number} size
 * @returns {Float64Array} index: the sum
 */
function countRankSums(ranks, size) {
  const sorted = ranks.toSorted((a, b) => a - b);
  const key = `${size} ${sorted.join(' ')}`;
  let counts = known.get(key);
  if (!counts) {
    counts = countSums(sorted, size);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, counts);
  }
  return counts;
}

/** @param {number[]} ranks @param {number} size */
function countSums(ranks, size) {
  const most = sum(ranks.slice(-size));
  const bySize = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  /** @type {Float64Array} */ (bySize[0])[0] = 1;
  for (const rank of ranks) {
    for (let chosen = size; chosen >= 1; chosen--) {
      const from = /** @type {Float64Array} */ (bySize[chosen - 1]);
      const to = /** @type {Float64Array} */ (bySize[chosen]);
      for (let at = most; at >= rank; at--) to[at] = (to[at] ?? 0) + (from[at - rank] ?? 0);
    }
  }
  return /** @type {Float64Array} */ (bySize[size]);
}

/**
 * The binomial coefficient: number of ways to choose `size` of `count`.
 * @param {number} count @param {number} size
 */
export function countChoices(count, size) {
  let choices = 1;
  for (let index = 1; index <= size; index++) choices = (choices * (count - size + index)) / index;
  return Math.round(choices);
}

/**
 * Mann–Whitney U test, two-sided and exact, including ties: the probability that a random assignment of these runs to
 * the two sides gives rank sums at least as far apart. It assumes nothing about the distribution of the runs. H.
 * Mann, D. Whitney, Annals of Mathematical Statistics 18 (1947).
 * @param {number[]} before a value per run
 * @param {number[]} after
 * @returns {number} p-value
 */
export function mannWhitneyP(before, after) {
  const ranks = rankDoubled([...before, ...after]);
  const counts = countRankSums(ranks, before.length);
  const expected = before.length * (ranks.length + 1);
  const distance = Math.abs(sum(ranks.slice(0, before.length)) - expected);
  let extreme = 0;
  let all = 0;
  for (const [rankSum, count] of counts.entries()) {
    all += count;
    if (Math.abs(rankSum - expected) >= distance) extreme += count;
  }
  return extreme / all;
}

/**
 * The smallest p-value that the test can give. With two runs per side it can never be significant.
 * @param {number} before number of runs @param {number} after
 */
export function smallestP(before, after) {
  return Math.min(1, 2 / countChoices(before + after, before));
}

/** Minimum number of runs per side for a significant result: 4 for alpha = 0.05. @param {number} alpha */
export function findLeastRuns(alpha) {
  let runs = 1;
  while (smallestP(runs, runs) > alpha) runs++;
  return runs;
}

/**
 * The shift from `before` to `after`: the median of all pairwise differences, with the interval of the exact
 * Mann–Whitney test. J. Hodges, E. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
 * Statistics 34 (1963); the interval: M. Hollander, D. Wolfe, "Nonparametric Statistical Methods" (1999), 4.3.
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} alpha 0.05 for a 95 % interval; the coverage is at least that
 * @returns {{value: number, low: number | null, high: number | null}} no interval with too few runs
 */
export function hodgesLehmannShift(before, after, alpha) {
  const differences = before.flatMap(a => after.map(b => b - a)).sort((a, b) => a - b);
  const leftOut = countLeftOut(before.length, after.length, alpha);
  return {
    value: median(differences),
    low: leftOut === null ? null : (differences[leftOut] ?? null),
    high: leftOut === null ? null : (differences[differences.length - 1 - leftOut] ?? null),
  };
}

/**
 * Number of sorted differences outside the interval at each end.
 * @param {number} before number of runs @param {number} after @param {number} alpha
 * @returns {number | null} null if even the full range does not reach the coverage
 */
function countLeftOut(before, after, alpha) {
  const ranks = Array.from({ length: before + after }, (_, index) => index + 1);
  const counts = countRankSums(ranks, before);
  const all = sum(counts);
  const least = (before * (before + 1)) / 2;
  let below = 0;
  let u = 0;
  for (; u <= before * after; u++) {
    below += counts[least + u] ?? 0;
    if (below / all > alpha / 2) break;
  }
  return u === 0 ? null : u - 1;
}
