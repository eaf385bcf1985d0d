/**
 * The universal scalability law: N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapter 4,
 *
 *   X(N) = λN / (1 + σ(N−1) + κN(N−1)),  λ > 0, 0 ≤ σ ≤ 1, κ ≥ 0,
 *
 * λ the throughput of one, σ contention (what is done one after the other), κ coherency (what all have
 * to settle with all). It is kept in the form in which it is linear:
 *
 *   N / X(N) = a + bN + cN(N−1),  λ = 1/(a+b), σ = b/(a+b), κ = c/(a+b),
 *
 * where the constraints are a, b, c ≥ 0 and nothing else.
 */

import { solveNonNegative } from '../../../../math/least-squares.js';
import { sum } from '../../../../math/summary.js';

/** @typedef {{a: number, b: number, c: number}} Usl */
/** @typedef {{usl: Usl, residuals: number[], squares: number}} UslSolution
 *   `residuals`: ln of measured throughput ÷ that of the law; `squares`: their sum of squares */

/** N / X: the time that one of N spends. @param {Usl} usl @param {number} n */
function timePerOne({ a, b, c }, n) {
  return a + b * n + c * n * (n - 1);
}

/** X(N). @param {Usl} usl @param {number} n */
export function throughputAt(usl, n) {
  return n / timePerOne(usl, n);
}

/** @param {Usl} usl @returns {{lambda: number, sigma: number, kappa: number}} */
export function namedParameters({ a, b, c }) {
  return { lambda: 1 / (a + b), sigma: b / (a + b), kappa: c / (a + b) };
}

/** N at the peak, √((1−σ)/κ); infinite without one. @param {Usl} usl */
export function peakOf({ a, c }) {
  return c > 0 ? Math.sqrt(a / c) : Number.POSITIVE_INFINITY;
}

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
  const scaled = (/** @type {(point: {n: number}, index: number) => number} */ value) =>
    points.map((point, index) => value(point, index) / (scale[index] ?? 1));
  const columns = [scaled(() => 1), scaled(({ n }) => n)];
  if (!isPeakless) columns.push(scaled(({ n }) => n * (n - 1)));
  const [a = 0, b = 0, c = 0] = solveNonNegative(
    scaled((_, index) => wanted[index] ?? 0),
    columns,
  );
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
  return { usl, residuals, squares: sum(residuals.map(value => value * value)) };
}
