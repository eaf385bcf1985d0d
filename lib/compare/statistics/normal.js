/** The standard normal distribution. */

/**
 * P(Z ≤ z), to 1.5e-7. M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions" (1964), 7.1.26.
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

/**
 * The z with P(Z ≤ z) = p, by bisection of `normalCdf`.
 * @param {number} p between 0 and 1
 */
export function normalQuantile(p) {
  let [low, high] = [-10, 10];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
