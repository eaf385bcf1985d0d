/** Non-negative least squares, and how sure its answer is. */
import { createRandom } from '../../random.js';

const RESAMPLES = 100;
/** A gradient this small, relative to the largest one at the start, is none. */
const TOLERANCE = 1e-9;
/** Keeps columns that are nearly the same from dividing by zero. */
const RIDGE = 1e-10;

/**
 * y ≈ Σ βⱼ·xⱼ with β ≥ 0: the active-set method of C. L. Lawson and R. J. Hanson, "Solving Least Squares
 * Problems" (1974), chapter 23, on the normal equations.
 * @param {ArrayLike<number>} y per window
 * @param {ArrayLike<number>[]} columns xⱼ per window
 * @param {ArrayLike<number>} [weights] how often each window counts
 * @returns {Float64Array} β
 */
export function solveNonNegative(y, columns, weights) {
  const size = columns.length;
  const gram = columns.map(own => columns.map(other => dot(own, other, weights)));
  const target = columns.map(own => dot(own, y, weights));
  const beta = new Float64Array(size);
  /** @type {Set<number>} columns that may be more than nothing */
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
  return beta;
}

/**
 * Goes to the least squares of the passive columns, but no further than where one of them would be less
 * than nothing; that one is then left out.
 * @param {number[][]} gram @param {number[]} target @param {Set<number>} passive @param {Float64Array} beta changed in place
 */
function stepInside(gram, target, passive, beta) {
  while (passive.size > 0) {
    const indexes = [...passive];
    const solution = solveLinear(
      indexes.map(i => indexes.map(j => (gram[i]?.[j] ?? 0) * (i === j ? 1 + RIDGE : 1))),
      indexes.map(i => target[i] ?? 0),
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

/** Gaussian elimination with partial pivoting; what is singular gets 0. @param {number[][]} matrix @param {number[]} right */
function solveLinear(matrix, right) {
  const size = right.length;
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => rows[i]?.[j] ?? 0;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(at(row, column)) > Math.abs(at(pivot, column))) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    if (at(column, column) === 0) continue;
    for (let row = column + 1; row < size; row++) {
      const factor = at(row, column) / at(column, column);
      const own = rows[row] ?? [];
      for (let k = column; k <= size; k++) own[k] = at(row, k) - factor * at(column, k);
    }
  }
  const solution = new Array(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    let value = at(row, size);
    for (let k = row + 1; k < size; k++) value -= at(row, k) * solution[k];
    solution[row] = at(row, row) === 0 ? 0 : value / at(row, row);
  }
  return solution;
}

/**
 * The answer with 95 % intervals of a bootstrap over windows (B. Efron, Annals of Statistics 7, 1979).
 * @param {ArrayLike<number>} y
 * @param {ArrayLike<number>[]} columns
 * @param {{seed?: number}} [options]
 * @returns {{value: number, low: number, high: number}[]} β
 */
export function estimateNonNegative(y, columns, { seed = 1 } = {}) {
  const windows = y.length;
  const beta = solveNonNegative(y, columns);
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
    const values = resampled.map(own => own[index] ?? 0).sort((a, b) => a - b);
    const value = beta[index] ?? 0;
    return {
      value,
      low: Math.min(value, values[Math.floor(0.025 * RESAMPLES)] ?? value),
      high: Math.max(value, values[Math.ceil(0.975 * RESAMPLES) - 1] ?? value),
    };
  });
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {ArrayLike<number>} [weights] */
function dot(a, b, weights) {
  let sum = 0;
  for (let index = 0; index < a.length; index++)
    sum += (a[index] ?? 0) * (b[index] ?? 0) * (weights?.[index] ?? 1);
  return sum;
}
