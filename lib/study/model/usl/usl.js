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

/** @typedef {{a: number, b: number, c: number}} Usl */

/** N / X: the time that one of N spends. @param {Usl} usl @param {number} n */
export function timePerOne({ a, b, c }, n) {
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
