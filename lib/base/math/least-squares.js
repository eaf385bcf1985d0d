/** Linear least squares with non-negative coefficients, and their uncertainty. */
import { percentileInterval } from './bootstrap.js';
import { createRandom } from './random.js';
import { dot, sum } from './summary.js';

const RESAMPLES = 100;
/**
 * A column is needed if leaving it out increases the residual sum of squares by this F (p < .005 from 12 windows on).
 */
const LEAST_F = 12;
/** A gradient smaller than this, relative to the largest initial gradient, counts as zero. */
const TOLERANCE = 1e-9;
/** Prevents a division by zero for nearly collinear columns. */
const RIDGE = 1e-11;

/**
 * y ≈ Σ βⱼ·xⱼ with β ≥ 0: the active-set method of C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems"
 * (1974), chapter 23, on the normal equations. Of collinear columns, one is used.
 * @param {ArrayLike<number>} y per window
 * @param {ArrayLike<number>[]} columns xⱼ per window
 * @param {ArrayLike<number>} [weights] how often to count each window
 * @returns {Float64Array} β, in units of y per unit of xⱼ; 0 for a column of zeros
 */
export function solveNonNegative(y, columns, weights) {
  const size = columns.length;
  // normalised to equal length: the largest column can be thousands of times the smallest
  const lengths = columns.map(own => Math.sqrt(dot(own, own, weights)) || 1);
  const lengthOf = (/** @type {number} */ index) => lengths[index] ?? 1;
  const gram = columns.map((own, i) =>
    columns.map(
      (other, j) => dot(own, other, weights) / lengthOf(i) / lengthOf(j) + (i === j ? RIDGE : 0),
    ),
  );
  const target = columns.map((own, i) => dot(own, y, weights) / lengthOf(i));
  const beta = new Float64Array(size);
  /** @type {Set<number>} columns whose coefficient may be positive */
  const passive = new Set();
  const least = TOLERANCE * Math.max(0, ...target);
  for (let round = 0; round < 3 * size; round++) {
    let best = -1;
    let steepest = least;
    for (let j = 0; j < size; j++) {
      if (passive.has(j)) continue;
      const slope = (target[j] ?? 0) - dot(gram[j] ?? [], beta);
      if (slope > steepest) [best, steepest] = [j, slope];
    }
    if (best < 0) break;
    passive.add(best);
    stepInside(gram, target, passive, beta);
  }
  return beta.map((value, index) => value / lengthOf(index));
}

/**
 * Moves towards the least-squares solution of the passive columns, but only until one of them would become negative;
 * that column is then removed.
 * @param {number[][]} gram @param {number[]} target @param {Set<number>} passive @param {Float64Array} beta changed in place
 */
function stepInside(gram, target, passive, beta) {
  while (passive.size > 0) {
    const indexes = [...passive];
    const solution = solveLinear(
      indexes.map(i => [...indexes.map(j => gram[i]?.[j] ?? 0), target[i] ?? 0]),
    );
    if (solution.every(value => value > 0)) {
      for (const [at, index] of indexes.entries()) beta[index] = solution[at] ?? 0;
      return;
    }
    let part = 1;
    for (const [at, index] of indexes.entries()) {
      const [from, to] = [beta[index] ?? 0, solution[at] ?? 0];
      if (to <= 0) part = Math.min(part, from / (from - to || 1));
    }
    for (const [at, index] of indexes.entries()) {
      const next = (beta[index] ?? 0) + part * ((solution[at] ?? 0) - (beta[index] ?? 0));
      beta[index] = Math.max(0, next);
      if (next <= 1e-12) {
        beta[index] = 0;
        passive.delete(index);
      }
    }
  }
}

/**
 * Gaussian elimination without pivoting, which a Gram matrix does not need.
 * @param {number[][]} rows the right-hand side is the last column; modified
 */
function solveLinear(rows) {
  const size = rows.length;
  for (const [column, pivot] of rows.entries()) {
    const head = pivot[column] ?? 0;
    for (const [index, row] of rows.entries()) {
      if (index === column) continue;
      const factor = (row[column] ?? 0) / head;
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0);
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}

/**
 * The solution with 95 % intervals from a bootstrap over windows.
 * @param {number[]} y
 * @param {ArrayLike<number>[]} columns
 * @param {{seed?: number}} [options]
 * @returns {{value: number, low: number, high: number, isNeeded: boolean}[]} β; `isNeeded`: without the column, y is
 *   clearly explained less well; false for correlated columns
 */
export function estimateNonNegative(y, columns, { seed = 1 } = {}) {
  const windows = y.length;
  const beta = solveNonNegative(y, columns);
  const freedom = windows - columns.length;
  const rest = measureRest(y, columns);
  const leastRise = (LEAST_F / freedom) * rest;
  const random = createRandom(seed);
  const resampled = Array.from({ length: RESAMPLES }, () => {
    const weights = new Float64Array(windows);
    for (let n = 0; n < windows; n++) {
      const at = Math.floor(random() * windows);
      weights[at] = (weights[at] ?? 0) + 1;
    }
    return solveNonNegative(y, columns, weights);
  });
  return columns.map((_, index) => {
    const value = beta[index] ?? 0;
    const { low, high } = percentileInterval(
      value,
      resampled.map(own => own[index] ?? 0),
    );
    const rise = measureRest(y, columns.with(index, new Float64Array(windows))) - rest;
    const isNeeded = freedom > 0 && rise > 0 && rise >= leastRise;
    return { value, low: low ?? value, high: high ?? value, isNeeded };
  });
}

/** @param {number[]} y @param {ArrayLike<number>[]} columns @returns {number} residual sum of squares */
function measureRest(y, columns) {
  const beta = solveNonNegative(y, columns);
  const predict = (/** @type {number} */ at) =>
    sum(columns.map((own, j) => (own[at] ?? 0) * (beta[j] ?? 0)));
  return sum(y.map((value, at) => (value - predict(at)) ** 2));
}
