import { countChoices, countRankSums, rankDoubled } from './rank-sums.js';

/**
 * Mann–Whitney's U test, two-sided and exact, with ties too: the probability that dealing the same
 * runs to the two sides at random gives rank sums at least as far apart. It assumes nothing about
 * how runs spread. H. Mann, D. Whitney, Annals of Mathematical Statistics 18 (1947).
 * @param {number[]} before a value per run
 * @param {number[]} after
 * @returns {number} p-value
 */
export function mannWhitneyP(before, after) {
  const ranks = rankDoubled([...before, ...after]);
  const counts = countRankSums(ranks, before.length);
  const expected = before.length * (ranks.length + 1);
  const observed = ranks.slice(0, before.length).reduce((sum, rank) => sum + rank, 0);
  const distance = Math.abs(observed - expected);
  let extreme = 0;
  let all = 0;
  for (const [sum, count] of counts.entries()) {
    all += count;
    if (Math.abs(sum - expected) >= distance) extreme += count;
  }
  return extreme / all;
}

/**
 * The smallest p-value that the test can give: two runs against two can not be significant.
 * @param {number} before number of runs @param {number} after
 */
export function smallestP(before, after) {
  return Math.min(1, 2 / countChoices(before + after, before));
}

/**
 * Cliff's delta: how often a run of `after` is above one of `before`, less how often it is below; −1
 * and 1 mean that the sides do not overlap. N. Cliff, "Dominance statistics", Psychological Bulletin
 * 114 (1993).
 * @param {number[]} before
 * @param {number[]} after
 */
export function cliffsDelta(before, after) {
  let sum = 0;
  for (const a of before) for (const b of after) sum += Math.sign(b - a);
  return sum / (before.length * after.length);
}
