/** What several rounds of a benchmark come down to. */

/** @param {readonly number[]} values @returns {number} NaN of nothing */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Linear between the two nearest values (type 7 of Hyndman and Fan, "Sample Quantiles in
 * Statistical Packages", 1996).
 * @param {readonly number[]} values @param {number} q 0…1
 * @returns {number} NaN of nothing
 */
export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

/** @typedef {{median: number, min: number, max: number, count: number}} Spread */

/** @param {readonly number[]} values what is no number is left out @returns {Spread | null} */
export function summarize(values) {
  const numbers = values.filter(Number.isFinite);
  if (numbers.length === 0) return null;
  return {
    median: median(numbers),
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    count: numbers.length,
  };
}

/**
 * How flat a row of values is: the largest distance between two of them as a share of their median.
 * @param {readonly number[]} values
 */
export function relativeRange(values) {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/**
 * Rotates a list, so that over the rounds each tool has been first.
 * @template T @param {readonly T[]} list @param {number} by
 */
export function rotate(list, by) {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
