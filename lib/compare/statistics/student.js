/** Student's t ("The probable error of a mean", Biometrika 6, 1908), for sides of too few runs. */

// P. Godfrey's coefficients of C. Lanczos' approximation of the gamma function (g = 7, n = 9)
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/**
 * P(|T| ≥ |t|).
 * @param {number} t
 * @param {number} dof degrees of freedom, from 1
 */
export function studentTwoSidedP(t, dof) {
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(dof / (dof + t * t), dof / 2, 0.5);
}

/** The t that |T| exceeds with probability `p`. @param {number} p @param {number} dof */
export function studentTwoSidedQuantile(p, dof) {
  let [low, high] = [0, 1e6];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (studentTwoSidedP(middle, dof) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Difference of means (after − before) with its interval, under the assumption that runs spread
 * normally and equally on both sides.
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
 * Mean of several runs with its interval.
 * @param {number[]} values at least two
 * @param {number} alpha
 * @returns {{value: number, low: number, high: number}}
 */
export function meanOfRuns(values, alpha) {
  const value = mean(values);
  const dof = values.length - 1;
  const error = Math.sqrt(squares(values) / dof / values.length);
  const half = studentTwoSidedQuantile(alpha, dof) * error;
  return { value, low: value - half, high: value + half };
}

/**
 * Standard deviation of the runs within their sides; 0 where there is one run a side.
 * @param {number[]} before @param {number[]} after
 */
export function pooledSpread(before, after) {
  const dof = before.length + after.length - 2;
  return dof < 1 ? 0 : Math.sqrt((squares(before) + squares(after)) / dof);
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sum of squared distances from the mean. @param {number[]} values */
function squares(values) {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

/**
 * Regularized incomplete beta function I_x(a, b), by Lentz's continued fraction (W. Press et al.,
 * "Numerical Recipes", 3rd edition, 6.4).
 * @param {number} x 0…1 @param {number} a @param {number} b
 * @returns {number}
 */
function incompleteBeta(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logFront =
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x);
  let [c, d] = [1, 1 / keepFromZero(1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keepFromZero(1 + even * d);
    c = keepFromZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keepFromZero(1 + odd * d);
    c = keepFromZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return (Math.exp(logFront) * fraction) / a;
}

/** @param {number} value */
function keepFromZero(value) {
  return Math.abs(value) < 1e-300 ? 1e-300 : value;
}

/** @param {number} x above 0 */
function logGamma(x) {
  const shifted = x - 1;
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + coefficient / (shifted + index + 1),
    0.99999999999980993,
  );
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}
