/**
 * The exact distribution of a sum of ranks under "it does not matter on which side a run is".
 * Counted by the recursion of H. Mann and D. Whitney (Annals of Mathematical Statistics 18, 1947);
 * ties get middle ranks, which are doubled here so that all sums are whole numbers
 * (B. Streitberg, J. Röhmel, "Exact distributions for permutation and rank tests", 1986).
 */

/** @type {Map<string, Float64Array>} most rows of a comparison have no ties and share one distribution */
const known = new Map();
const MOST_KNOWN = 200;

/**
 * Doubled middle ranks of values.
 * @param {number[]} values
 * @returns {number[]} in the order of the values
 */
export function rankDoubled(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map(value => sorted.indexOf(value) + 1 + sorted.lastIndexOf(value) + 1);
}

/**
 * How many choices of `size` of the ranks have each sum.
 * @param {number[]} ranks whole numbers, doubled ranks above all
 * @param {number} size
 * @returns {Float64Array} index: the sum
 */
export function countRankSums(ranks, size) {
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
  const most = ranks.slice(-size).reduce((sum, rank) => sum + rank, 0);
  const bySize = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  /** @type {Float64Array} */ (bySize[0])[0] = 1;
  for (const rank of ranks) {
    for (let chosen = size; chosen >= 1; chosen--) {
      const from = /** @type {Float64Array} */ (bySize[chosen - 1]);
      const to = /** @type {Float64Array} */ (bySize[chosen]);
      for (let sum = most; sum >= rank; sum--) to[sum] = (to[sum] ?? 0) + (from[sum - rank] ?? 0);
    }
  }
  return /** @type {Float64Array} */ (bySize[size]);
}

/** How many ways there are to choose `size` of `count`. @param {number} count @param {number} size */
export function countChoices(count, size) {
  let choices = 1;
  for (let index = 1; index <= size; index++) choices = (choices * (count - size + index)) / index;
  return Math.round(choices);
}
