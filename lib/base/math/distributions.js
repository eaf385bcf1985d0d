/** Probabilities of the normal, Student's t and Poisson distributions. */

/**
 * P(Z ≤ z) of the standard normal distribution, to 1.5e-7. M. Abramowitz, I. Stegun, "Handbook of
 * Mathematical Functions" (1964), 7.1.26.
 * @param {number} z
 */
export function normalCdf(z) {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const upper = (polynomial * Math.exp(-x * x)) / 2;
  return z > 0 ? 1 - upper : upper;
}

// P. Godfrey's coefficients of C. Lanczos' approximation of the gamma function (g = 7, n = 9)
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/**
 * P(|T| ≥ |t|) of Student's t ("The probable error of a mean", Biometrika 6, 1908).
 * @param {number} t
 * @param {number} dof degrees of freedom, from 1
 */
export function studentTwoSidedP(t, dof) {
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(dof / (dof + t * t), dof / 2, 0.5);
}

/** The t that |T| exceeds with probability `p`, accurate to 1e-9. @param {number} p above 0 @param {number} dof */
export function studentTwoSidedQuantile(p, dof) {
  let [low, high] = [0, 4];
  while (studentTwoSidedP(high, dof) > p) [low, high] = [high, 2 * high];
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (studentTwoSidedP(middle, dof) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(N ≥ n) of the Poisson distribution with the mean `expected`. @param {number} n @param {number} expected */
export function poissonTail(n, expected) {
  if (expected <= 0) return n > 0 ? 0 : 1;
  // e^−expected underflows: use four standard deviations of the normal approximation
  if (expected > 700) return n > expected + 4 * Math.sqrt(expected) ? 0 : 1;
  let term = Math.exp(-expected);
  let below = 0;
  for (let k = 0; k < n; k++) {
    below += term;
    term *= expected / (k + 1);
  }
  return Math.max(0, 1 - below);
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
