/** How throughput grows with concurrency, where it peaks, and how certain that is. */
import { percentileInterval } from '../../../../base/math/bootstrap.js';
import { studentTwoSidedQuantile } from '../../../../base/math/distributions.js';
import { Z95 } from '../../../../base/math/intervals.js';
import { solveNonNegative } from '../../../../base/math/least-squares.js';
import { createRandom } from '../../../../base/math/random.js';
import { mean, squaresAroundMean, sum } from '../../../../base/math/summary.js';

/** @import { UslFit } from '../../../../run/facts/study-report.d.ts' */

/**
 * @typedef {object} UslPoint one cell
 * @property {number} n measured concurrency X·R, or the number of workers; above 0
 * @property {number} x throughput per second; above 0
 * @property {number} [step] the load step, if `n` differs between its repeats
 * @property {boolean} [isGeneratorLimit] its throughput is the generator's, not the target's: left out
 */

const LEAST_STEPS = 6;
/** Two parameters for the shape and one for the size: what the other points leave unexplained is chance. */
const PARAMETERS = 3;
/** One-sided: how often a peak may be reported without there being one. */
const FALSE_PEAKS = 0.04;
/** The error that remains if points lie exactly on a curve. */
const ROUNDING = 1e-6;
/** From this typical deviation of the points, the law does not describe them. */
const WORST_MISS = 0.3;
/** No statement beyond this many times the largest N. */
const REACH = 2;
const RESAMPLES = 400;

/** For the curves without a peak: golden section. */
const RATIO = (Math.sqrt(5) - 1) / 2;
const ROUNDS = 40;
/** From a soft bend (1: the law with κ = 0) to a sharp corner: the asymptotic bounds themselves. */
const SHARPNESS = [1, 1.5, 2, 3, 5, 10, 40];
const GRID = 24;
/** How far past the points the knee may lie: beyond, the curve is a straight line or flat. */
const BEYOND = 100;

/**
 * Fits the universal scalability law. It reports a peak only if the data require one: the law must fit better than
 * every curve with the same number of parameters that levels off and never falls.
 * @param {UslPoint[]} points
 * @param {{random?: () => number}} [options] seeded numbers for the intervals
 * @returns {UslFit}
 */
export function fitUsl(points, { random = createRandom(1) } = {}) {
  const kept = points.filter(({ n, x, isGeneratorLimit }) => n > 0 && x > 0 && !isGeneratorLimit);
  const steps = new Set(kept.map(({ step, n }) => step ?? n)).size;
  if (steps < LEAST_STEPS) return refuse('too-few-points', steps);
  const full = solveUsl(kept);
  const level = solveUsl(kept, { isPeakless: true });
  if (!full || !level || Math.sqrt(full.squares / kept.length) > WORST_MISS)
    return refuse('no-fit', steps);
  const largest = Math.max(...kept.map(({ n }) => n));
  const validToN = REACH * largest;
  const hasPeak = needsPeak(kept, full.squares) && peakOf(full.usl) <= validToN;
  const { usl } = hasPeak ? full : level;
  const resampled = resampleUsl(kept, full, random);
  const parameters = namedParameters(usl);
  const others = resampled.map(namedParameters);
  const estimate = (/** @type {keyof typeof parameters} */ name) =>
    percentileInterval(
      parameters[name],
      others.map(other => other[name]),
    );
  return {
    state: 'fitted',
    points: steps,
    leastPoints: LEAST_STEPS,
    largestN: largest,
    lambda: estimate('lambda'),
    sigma: estimate('sigma'),
    kappa: hasPeak ? estimate('kappa') : { ...estimate('kappa'), low: 0 },
    nMax: hasPeak ? percentileInterval(peakOf(usl), resampled.map(peakOf)) : null,
    xMax: hasPeak ? percentileInterval(highestOf(usl), resampled.map(highestOf)) : null,
    validToN,
  };
}

/** @param {Exclude<UslFit['state'], 'fitted'>} state @param {number} points @returns {UslFit} */
function refuse(state, points) {
  return {
    state,
    points,
    leastPoints: LEAST_STEPS,
    largestN: null,
    ...{ lambda: null, sigma: null, kappa: null, nMax: null, xMax: null },
    validToN: null,
  };
}

/**
 * One-sided F test of one parameter, against the best curve that levels off.
 * @param {UslPoint[]} points @param {number} squares of the law with its peak
 */
function needsPeak(points, squares) {
  const dof = points.length - PARAMETERS;
  const noise = Math.max(squares / dof, ROUNDING ** 2);
  const t = Math.sqrt(Math.max(0, fitPlateauCurve(points) - squares) / noise);
  return t > studentTwoSidedQuantile(2 * FALSE_PEAKS, dof);
}

/** @param {Usl} usl */
function highestOf(usl) {
  const peak = peakOf(usl);
  return Number.isFinite(peak) ? throughputAt(usl, peak) : 1 / usl.b;
}

/**
 * Bootstrap of residuals (B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), 9.4): the law's own
 * throughput with residuals drawn from those of all points, fitted again. Residuals are smaller than the noise by
 * √((n−3)/n), and Student's t accounts for few points.
 * @param {{n: number, x: number}[]} points at least four
 * @param {UslSolution} solution
 * @param {() => number} random
 * @returns {Usl[]}
 */
function resampleUsl(points, { usl, residuals }, random) {
  const count = points.length;
  const dof = count - PARAMETERS;
  const widening = Math.sqrt(count / dof) * (studentTwoSidedQuantile(0.05, dof) / Z95);
  const middle = mean(residuals);
  const noise = residuals.map(value => (value - middle) * widening);
  return Array.from({ length: RESAMPLES }, () => {
    const drawn = points.map(({ n }) => ({
      n,
      x: throughputAt(usl, n) * Math.exp(noise[Math.floor(random() * count)] ?? 0),
    }));
    return solveUsl(drawn)?.usl ?? usl;
  });
}

/**
 * The family N/X = R·(1 + (N/N*)^p)^(1/p): throughput rises as N/R and levels off at N* /R, softly or sharply, and
 * never falls. p = 1 is the universal scalability law with κ = 0; p → ∞ are the asymptotic bounds X ≤ min(N/R, X_max)
 * (P. Denning, J. Buzen, "The Operational Analysis of Queueing Network Models", Computing Surveys 10 (1978)): the shape
 * of a closed loop whose servers share nothing but their number. Least squares of ln X.
 * @param {{n: number, x: number}[]} points both above 0
 * @returns {number} sum of squares of the best curve of the family
 */
function fitPlateauCurve(points) {
  const ns = points.map(({ n }) => n);
  const low = Math.log(Math.min(...ns) / BEYOND);
  const high = Math.log(Math.max(...ns) * BEYOND);
  const width = (high - low) / GRID;
  let least = Number.POSITIVE_INFINITY;
  for (const sharpness of SHARPNESS) {
    const squaresAt = (/** @type {number} */ knee) => squaresOf(points, Math.exp(knee), sharpness);
    const grid = Array.from({ length: GRID + 1 }, (_, index) => low + index * width);
    const [start = low] = grid.toSorted((a, b) => squaresAt(a) - squaresAt(b));
    least = Math.min(least, minimize(squaresAt, start - width, start + width));
  }
  return least;
}

/**
 * @param {{n: number, x: number}[]} points
 * @param {number} knee N*
 * @param {number} sharpness p
 */
function squaresOf(points, knee, sharpness) {
  // R is the mean of the rest: it needs no search
  const left = points.map(
    ({ n, x }) => Math.log(n / x) - Math.log1p((n / knee) ** sharpness) / sharpness,
  );
  return squaresAroundMean(left);
}

/**
 * @param {(at: number) => number} valueAt
 * @param {number} low
 * @param {number} high
 */
function minimize(valueAt, low, high) {
  let [from, to] = [low, high];
  for (let round = 0; round < ROUNDS; round++) {
    const left = to - RATIO * (to - from);
    const right = from + RATIO * (to - from);
    if (valueAt(left) < valueAt(right)) to = right;
    else from = left;
  }
  return valueAt((from + to) / 2);
}

/**
 * The universal scalability law: N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapter 4,
 *
 *   X(N) = λN / (1 + σ(N−1) + κN(N−1)),  λ > 0, 0 ≤ σ ≤ 1, κ ≥ 0,
 *
 * λ the throughput of one, σ contention (serialized work), κ coherency (what all must settle with all others). It is
 * stored in its linear form:
 *
 *   N / X(N) = a + bN + cN(N−1),  λ = 1/(a+b), σ = b/(a+b), κ = c/(a+b),
 *
 * where the only constraints are a, b, c ≥ 0.
 * @typedef {{a: number, b: number, c: number}} Usl
 */
/** @typedef {{usl: Usl, residuals: number[], squares: number}} UslSolution
 *   `residuals`: ln of measured throughput ÷ the law's; `squares`: their sum of squares */

/** N / X: the time that each of N spends. @param {Usl} usl @param {number} n */
function timePerOne({ a, b, c }, n) {
  return a + b * n + c * n * (n - 1);
}

/** X(N). @param {Usl} usl @param {number} n */
function throughputAt(usl, n) {
  return n / timePerOne(usl, n);
}

/** @param {Usl} usl @returns {{lambda: number, sigma: number, kappa: number}} */
function namedParameters({ a, b, c }) {
  return { lambda: 1 / (a + b), sigma: b / (a + b), kappa: c / (a + b) };
}

/** N at the peak, √((1−σ)/κ); infinite without one. @param {Usl} usl */
function peakOf({ a, c }) {
  return c > 0 ? Math.sqrt(a / c) : Number.POSITIVE_INFINITY;
}

const MOST_ROUNDS = 40;
const MOST_HALVINGS = 20;
/** A round that reduces the sum of squares by less than this share is the last. */
const ENOUGH = 1e-9;

/**
 * Least squares of ln X, because the noise of a throughput is proportional to it. Gauss–Newton: each round is a linear
 * problem with a, b, c ≥ 0 that is solved exactly. It starts from the least relative error of N/X, which is such a
 * problem itself and has one minimum, so no starting point has to be chosen.
 * @param {{n: number, x: number}[]} points both above 0
 * @param {{isPeakless?: boolean}} [options] `isPeakless`: κ is 0
 * @returns {UslSolution | null} null where no law fits
 */
function solveUsl(points, { isPeakless = false } = {}) {
  const measured = points.map(({ n, x }) => n / x);
  const solve = (/** @type {number[]} */ wanted, /** @type {number[]} */ scale) =>
    solveRound(points, wanted, scale, isPeakless);
  const start = solve(measured, measured);
  if (!start) return null;
  let best = judge(points, start);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { usl, residuals, squares } = best;
    // ln y ≈ ln ŷ + (β·row − ŷ)/ŷ around the current law: what β·row should be
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

/**
 * The least Σ((a + bN + cN(N−1) − wanted)/scale)².
 * @param {{n: number}[]} points
 * @param {number[]} wanted
 * @param {number[]} scale
 * @param {boolean} isPeakless
 * @returns {Usl | null}
 */
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

/**
 * Halves the step until it improves.
 * @param {{n: number, x: number}[]} points
 * @param {UslSolution} from
 * @param {Usl} to
 */
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
