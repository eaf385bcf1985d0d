import { countRankSums } from './rank-sums.js';

/**
 * By how much `after` lies above `before`: the median of all differences between a run of one side and
 * one of the other, with the interval that belongs to the exact Mann–Whitney test. J. Hodges,
 * E. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34 (1963);
 * the interval: M. Hollander, D. Wolfe, "Nonparametric Statistical Methods" (1999), 4.3.
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} alpha 0.05 for a 95 % interval; it holds at least that much
 * @returns {{value: number, low: number | null, high: number | null}} no interval of too few runs
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
 * How many of the sorted differences lie outside of the interval at each end.
 * @param {number} before number of runs @param {number} after @param {number} alpha
 * @returns {number | null} null when even all of them together are too few
 */
function countLeftOut(before, after, alpha) {
  const ranks = Array.from({ length: before + after }, (_, index) => index + 1);
  const counts = countRankSums(ranks, before);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const least = (before * (before + 1)) / 2;
  let below = 0;
  let u = 0;
  for (; u <= before * after; u++) {
    below += counts[least + u] ?? 0;
    if (below / all > alpha / 2) break;
  }
  return u === 0 ? null : u - 1;
}

/** @param {number[]} sorted ascending, at least one */
export function median(sorted) {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
