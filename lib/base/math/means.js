/** Means of several runs and the difference between them, with Student's t. In the unit of the values. */
import { studentTwoSidedQuantile } from './distributions.js';
import { mean, squaresAroundMean, standardError } from './summary.js';

/**
 * Mean of several runs, with a Student's t interval.
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
 * Difference of means (after − before), with a Student's t interval; assumes normal distributions with equal variance
 * on both sides.
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} alpha
 * @returns {{value: number, low: number | null, high: number | null}} no interval with one run per side
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
 * Pooled standard deviation of the runs within their sides; 0 with one run per side.
 * @param {number[]} before @param {number[]} after
 */
export function pooledSpread(before, after) {
  const dof = before.length + after.length - 2;
  return dof < 1 ? 0 : Math.sqrt((squaresAroundMean(before) + squaresAroundMean(after)) / dof);
}
