/** Means of several runs, and how far they lie apart: Student's t. In the unit of the values. */
import { studentTwoSidedQuantile } from './distributions.js';
import { mean, squaresAroundMean, standardError } from './summary.js';

/**
 * Mean of several runs, with Student's t.
 * @param {number[]} values at least two
 * @param {number} alpha 0.05 for a 95 % interval
 * @returns {{value: number, low: number, high: number}}
 */
export function meanOfRuns(values, alpha) {
  const value = mean(values);
  const half = studentTwoSidedQuantile(alpha, values.length - 1) * standardError(values);
  return { value, low: value - half, high: value + half };
}

/**
 * Difference of means (after − before), with Student's t: runs spread normally and equally on both sides.
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} alpha
 * @returns {{value: number, low: number | null, high: number | null}} no interval of one run a side
 */
export function meanShift(before, after, alpha) {
  const value = mean(after) - mean(before);
  const dof = before.length + after.length - 2;
  if (dof < 1) return { value, low: null, high: null };
  const error = pooledSpread(before, after) * Math.sqrt(1 / before.length + 1 / after.length);
  const half = studentTwoSidedQuantile(alpha, dof) * error;
  return { value, low: value - half, high: value + half };
}

/**
 * Standard deviation of the runs within their sides; 0 where there is one run a side.
 * @param {number[]} before @param {number[]} after
 */
export function pooledSpread(before, after) {
  const dof = before.length + after.length - 2;
  return dof < 1 ? 0 : Math.sqrt((squaresAroundMean(before) + squaresAroundMean(after)) / dof);
}
