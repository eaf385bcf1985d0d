/** A ratio of sums over windows, such as CPU time ÷ requests, with its interval. */

/** Two-sided 95 % of the normal distribution. */
const Z95 = 1.96;
const LEAST_WINDOWS = 5;

/**
 * By the delete-one jackknife over windows (B. Efron, "The Jackknife, the Bootstrap and Other
 * Resampling Plans", 1982).
 * @param {{top: number, bottom: number}[]} windows `bottom` above 0
 * @returns {{value: number, low: number, high: number} | null} null for fewer than five windows
 */
export function estimateRatio(windows) {
  const n = windows.length;
  if (n < LEAST_WINDOWS) return null;
  const top = windows.reduce((sum, window) => sum + window.top, 0);
  const bottom = windows.reduce((sum, window) => sum + window.bottom, 0);
  const value = top / bottom;
  const without = windows.map(window => (top - window.top) / (bottom - window.bottom));
  const mean = without.reduce((sum, one) => sum + one, 0) / n;
  const variance = ((n - 1) / n) * without.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const half = Z95 * Math.sqrt(variance);
  return { value, low: Math.max(0, value - half), high: value + half };
}
