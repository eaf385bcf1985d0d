/** Location of the differences within pairs, by an exact test that assumes nothing about their distribution. */
import { median } from './summary.js';

/**
 * F. Wilcoxon's signed-rank test, inverted: the median of all means of two differences (J. Hodges, E. Lehmann, "Estimates
 * of location based on rank tests", Annals of Mathematical Statistics 34, 1963), and the interval (M. Hollander, D. Wolfe,
 * "Nonparametric Statistical Methods", 1999, 3.3). It is exact if
 * neither side is favoured: each difference is then as likely to be negative as positive, however runs vary.
 * @param {number[]} differences
 * @param {number} alpha
 * @returns {{value: number, low: number | null, high: number | null}} null where there are too few
 */
export function signedRankShift(differences, alpha) {
  const means = differences
    .flatMap((one, at) => differences.slice(at).map(other => (one + other) / 2))
    .sort((a, b) => a - b);
  const counts = countSums(differences.length);
  const all = 2 ** differences.length;
  let below = 0;
  let leftOut = -1;
  while (leftOut < means.length) {
    below += counts[leftOut + 1] ?? 0;
    if (below / all > alpha / 2) break;
    leftOut++;
  }
  return {
    value: means.length > 0 ? median(means) : 0,
    low: leftOut < 0 ? null : (means[leftOut] ?? null),
    high: leftOut < 0 ? null : (means[means.length - 1 - leftOut] ?? null),
  };
}

/** How many sets of the ranks 1 to n have each sum. @param {number} n @returns {Float64Array} index: the sum */
function countSums(n) {
  const counts = new Float64Array((n * (n + 1)) / 2 + 1);
  counts[0] = 1;
  for (let rank = 1; rank <= n; rank++)
    for (let sum = counts.length - 1; sum >= rank; sum--)
      counts[sum] = (counts[sum] ?? 0) + (counts[sum - rank] ?? 0);
  return counts;
}
