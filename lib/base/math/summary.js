/** Summaries of lists of numbers. In the unit of the values, unless stated otherwise. */

/** @param {ArrayLike<number>} values */
export function sum(values) {
  let total = 0;
  for (let index = 0; index < values.length; index++) total += values[index] ?? 0;
  return total;
}

/**
 * Σ aᵢ·bᵢ·wᵢ.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {ArrayLike<number>} [weights]
 */
export function dot(a, b, weights) {
  let total = 0;
  for (let index = 0; index < a.length; index++)
    total += (a[index] ?? 0) * (b[index] ?? 0) * (weights?.[index] ?? 1);
  return total;
}

/**
 * The minimum of any number of values; `Math.min(...values)` fails for more than some hundred thousand.
 * @param {readonly number[]} values @returns {number} Infinity of none
 */
export function least(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

/** @param {readonly number[]} values @returns {number} -Infinity of none */
export function most(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

/** @param {ArrayLike<number>} values @returns {number} NaN of none */
export function mean(values) {
  return sum(values) / values.length;
}

/** Sum of squared distances from the mean, in squares of the unit. @param {ArrayLike<number>} values */
export function squaresAroundMean(values) {
  const middle = mean(values);
  return sum(Array.from(values, value => (value - middle) ** 2));
}

/** Sample standard deviation (n − 1). @param {ArrayLike<number>} values at least two */
export function standardDeviation(values) {
  return Math.sqrt(squaresAroundMean(values) / (values.length - 1));
}

/** Standard error of the mean of independent values. @param {ArrayLike<number>} values at least two */
export function standardError(values) {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/**
 * Linear interpolation between the two nearest values: type 7 of R. Hyndman, Y. Fan, "Sample quantiles in statistical
 * packages", The American Statistician 50 (1996), the default of R and NumPy. Request times are never kept in a list:
 * their quantiles come from a sketch (`sketch.js`).
 * @param {readonly number[]} values in any order; infinite ones may be among them
 * @param {number} q 0…1
 * @returns {number} NaN of none
 */
export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below === above ? below : below + (above - below) * (position % 1);
}

/** @param {readonly number[]} values in any order @returns {number} NaN of none */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * J = (Σx)² / (n·Σx²), from 1/n (everything on one) to 1 (all equal). R. Jain, D. Chiu,
 * W. Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
 * Computer Systems", DEC-TR-301 (1984).
 * @param {readonly number[]} amounts not negative
 * @returns {number | null} null if all amounts are 0
 */
export function jainIndex(amounts) {
  const squares = sum(amounts.map(amount => amount * amount));
  return squares > 0 ? sum(amounts) ** 2 / (amounts.length * squares) : null;
}
