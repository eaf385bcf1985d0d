/** An interval of a mean that may be looked at after each new value. */
import { mean, squaresAroundMean } from '../math/summary.js';

/**
 * Precision of the prior for the effect, in units of its own spread (mean ÷ standard deviation is normal around 0 with
 * variance 1 ÷ this). It decides where the interval is tightest, not whether it is right: small for large effects after
 * few values.
 */
const PRECISION = 0.25;

/**
 * Confidence sequence for the mean of independent normal values with unknown variance: the true mean lies in all
 * intervals of a sequence together with probability 1 − alpha, so that a measurement may stop, or resume, at any look.
 * It inverts the t-test of a normal prior for the effect and the scale-invariant prior for the spread, which is a test
 * martingale: T. L. Lai, "On confidence sequences", Annals of Statistics 4 (1976); H. Wang, A. Ramdas, "Anytime-valid
 * t-tests and confidence sequences for Gaussian means with unknown variance", Sequential Analysis 44 (2025).
 * @param {number[]} values
 * @param {number} alpha
 * @returns {{value: number, low: number, high: number}} of few values the ends are infinite
 */
export function findConfidenceSequence(values, alpha) {
  const n = values.length;
  const value = n > 0 ? mean(values) : 0;
  const all = n + PRECISION;
  const ratio = 1 - ((alpha * alpha * PRECISION) / all) ** (1 / n);
  const left = n - all * ratio;
  if (n < 2 || left <= 0) return { value, low: -Infinity, high: Infinity };
  const half = Math.sqrt((squaresAroundMean(values) / n) * ((all * ratio) / left));
  return { value, low: value - half, high: value + half };
}
