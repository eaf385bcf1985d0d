/** The law that misses the points least, in relative terms. */
import { solveNonNegative } from './solve-non-negative.js';
import { timePerOne } from './usl.js';

/** @typedef {import('./usl.js').Usl} Usl */
/** @typedef {{usl: Usl, residuals: number[], squares: number}} UslSolution
 *   `residuals`: ln of measured throughput ÷ that of the law; `squares`: their sum of squares */

const MOST_ROUNDS = 40;
const MOST_HALVINGS = 20;
/** A round that takes less than this share off the sum of squares is the last. */
const ENOUGH = 1e-9;

/**
 * Least squares of ln X, because noise of a throughput is a share of it. Gauss–Newton, where each round
 * is a linear problem with a, b, c ≥ 0 that is solved exactly; it starts from the least relative error
 * of N/X, which is such a problem itself and has one minimum: no choice of a start is left.
 * @param {{n: number, x: number}[]} points both above 0
 * @param {{isPeakless?: boolean}} [options] `isPeakless`: κ is 0
 * @returns {UslSolution | null} null where no law goes through
 */
export function solveUsl(points, { isPeakless = false } = {}) {
  const measured = points.map(({ n, x }) => n / x);
  const solve = (/** @type {number[]} */ wanted, /** @type {number[]} */ scale) =>
    solveRound(points, wanted, scale, isPeakless);
  const start = solve(measured, measured);
  if (!start) return null;
  let best = judge(points, start);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { usl, residuals, squares } = best;
    // ln y ≈ ln ŷ + (β·row − ŷ)/ŷ around the present law: what β·row should be
    const fitted = points.map(({ n }) => timePerOne(usl, n));
    const next = solve(
      fitted.map((time, index) => time * (1 - (residuals[index] ?? 0))),
      fitted,
    );
    const better = next && approach(points, best, next);
    if (!better) break;
    best = better;
    if (squares - better.squares <= ENOUGH * squares) break;
  }
  return best;
}

/** The least Σ((a + bN + cN(N−1) − wanted)/scale)². @param {{n: number}[]} points @param {number[]} wanted @param {number[]} scale @param {boolean} isPeakless @returns {Usl | null} */
function solveRound(points, wanted, scale, isPeakless) {
  const rows = points.map(({ n }, index) => {
    const weight = 1 / (scale[index] ?? 1);
    return isPeakless ? [weight, weight * n] : [weight, weight * n, weight * n * (n - 1)];
  });
  const target = wanted.map((value, index) => value / (scale[index] ?? 1));
  const [a = 0, b = 0, c = 0] = solveNonNegative(rows, target) ?? [];
  return a + b > 0 ? { a, b, c } : null;
}

/** Goes half as far until it is better. @param {{n: number, x: number}[]} points @param {UslSolution} from @param {Usl} to */
function approach(points, { usl: from, squares }, to) {
  for (let halving = 0; halving < MOST_HALVINGS; halving++) {
    const part = 2 ** -halving;
    const found = judge(points, {
      a: from.a + part * (to.a - from.a),
      b: from.b + part * (to.b - from.b),
      c: from.c + part * (to.c - from.c),
    });
    if (found.squares < squares) return found;
  }
  return null;
}

/** @param {{n: number, x: number}[]} points @param {Usl} usl @returns {UslSolution} */
function judge(points, usl) {
  const residuals = points.map(({ n, x }) => Math.log((x * timePerOne(usl, n)) / n));
  return { usl, residuals, squares: residuals.reduce((sum, value) => sum + value * value, 0) };
}
