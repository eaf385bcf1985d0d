/** 95 % intervals of shares and ratios. The page also uses the intervals of shares. */
import { squaresAroundMean, sum } from './summary.js';

/** @import { Estimate } from './estimate.d.ts' */

/** Two-sided 95 % quantile of the normal distribution. */
export const Z95 = 1.959964;

/**
 * 95 % interval of a share. E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
 * JASA 22 (1927): stays within 0…1 and is accurate for small counts. It also runs in the page.
 * @param {number} successes 0…trials, may be a fraction (effective counts)
 * @param {number} trials
 * @returns {{low: number, high: number}} 0…1 without trials
 */
export function wilsonInterval(successes, trials) {
  if (!(trials > 0)) return { low: 0, high: 1 };
  const share = successes / trials;
  const z2 = (Z95 * Z95) / trials;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Z95 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials))) / (1 + z2);
  return {
    low: Math.max(0, Math.min(share, middle - half)),
    high: Math.min(1, Math.max(share, middle + half)),
  };
}

/**
 * 95 % interval of how many events a time like this one has, from the number of those that were seen. Byar's
 * approximation: N. E. Breslow and N. E. Day, "Statistical Methods in Cancer Research" II (1987), page 69.
 * @param {number} count @returns {{low: number, high: number}}
 */
export function countInterval(count) {
  const bound = (/** @type {number} */ n, /** @type {number} */ z) =>
    n * (1 - 1 / (9 * n) + z / (3 * Math.sqrt(n))) ** 3;
  return { low: count > 0 ? Math.max(0, bound(count, -Z95)) : 0, high: bound(count + 1, Z95) };
}

/**
 * Upper bound of the failure rate of one function's samples ÷ the overall failure rate: for a deep recursion, 36 to
 * 48 % of the samples failed while 4.4 % failed overall (`node scripts/run.js research/check-shares.js`, calls,
 * sync).
 */
const MOST_FAILED = 10;

/**
 * How far the samples of a recording may be from the truth.
 * @typedef {object} Blur
 * @property {number} unseenShare of the samples that were due
 * @property {number} skew how many times as often, at most, a sample saw one function as another one that used as
 *   much CPU time; 1 if sampling is unbiased
 */

/** @type {Blur} */
export const CLEAR = Object.freeze({ unseenShare: 0, skew: 1 });

/**
 * Converts the interval of a share of samples to one of CPU time. Biased sampling multiplies the odds of the share.
 *
 * What failed samples would have shown is unknown, and they are not a random subset, because deep stacks fail more
 * often. The interval therefore covers every possibility, from none of them to as many as possible, at most all
 * (bounds after C. F. Manski, "Partial Identification", 2003).
 * @template {{low: number, high: number}} T
 * @param {T} interval
 * @param {Blur} blur
 * @returns {T}
 */
export function widenInterval(interval, { unseenShare: failed, skew }) {
  const scaleOdds = (/** @type {number} */ share, /** @type {number} */ by) =>
    (share * by) / (1 - share + share * by);
  const low = scaleOdds(interval.low, 1 / skew) * (1 - failed);
  const high = scaleOdds(interval.high, skew) * (1 - failed);
  const succeeded = 1 - MOST_FAILED * failed;
  const most = succeeded > 0 ? high / succeeded : Number.POSITIVE_INFINITY;
  return { ...interval, low, high: Math.min(high + failed, most) };
}

/** A jackknife over fewer windows is too imprecise to be useful. */
const LEAST_WINDOWS = 5;

/**
 * A ratio of sums over windows, such as CPU time ÷ requests, with a delete-one jackknife interval (B. Efron, "The
 * Jackknife, the Bootstrap and Other Resampling Plans", 1982).
 * @param {{top: number, bottom: number}[]} windows `bottom` above 0
 * @returns {{value: number, low: number, high: number} | null} null for fewer than five windows
 */
export function estimateRatio(windows) {
  const n = windows.length;
  if (n < LEAST_WINDOWS) return null;
  const top = sum(windows.map(window => window.top));
  const bottom = sum(windows.map(window => window.bottom));
  const value = top / bottom;
  const without = windows.map(window => (top - window.top) / (bottom - window.bottom));
  const half = Z95 * Math.sqrt(((n - 1) / n) * squaresAroundMean(without));
  return { value, low: Math.max(0, value - half), high: value + half };
}

/**
 * Relative standard deviation of a mean CPU time between runs of the same load, in addition to the variation within a
 * run: memory layout, CPU clock rate, other programs. A single run does not show it. 3.4 % on the demo, over 13
 * endpoints in 8 runs of 50 s on a machine with other work (`research/repeats.js`), rounded up.
 */
export const BETWEEN_RUNS = 0.035;

/**
 * Widens the interval of one run's CPU time to that of the mean over many runs of the same load on the same machine.
 * @param {{value: number, low: number, high: number}} estimate
 */
export function widenToRuns({ value, low, high }) {
  const reach = (/** @type {number} */ by) => Math.hypot(by, Z95 * BETWEEN_RUNS * value);
  return { value, low: Math.max(0, value - reach(value - low)), high: value + reach(high - value) };
}

/**
 * A mean CPU time. It includes all requests of the run, so the mean of this run is exact; the interval is for the
 * mean over many runs.
 * @param {number[]} sums per window
 * @param {number[]} counts
 * @returns {{value: number, low: number | null, high: number | null} | null} null without requests
 */
export function meanOverTime(sums, counts) {
  const all = counts.flatMap((bottom, at) => (bottom > 0 ? { top: sums[at] ?? 0, bottom } : []));
  if (all.length === 0) return null;
  const within = estimateRatio(all);
  return within ? widenToRuns(within) : { value: sum(sums) / sum(counts), low: null, high: null };
}

/** @param {Estimate} estimate @param {(value: number) => number} map increasing @returns {Estimate} */
export function mapEstimate({ value, low, high }, map) {
  return {
    value: map(value),
    low: low === null ? null : map(low),
    high: high === null ? null : map(high),
  };
}

/** @param {Estimate} estimate @param {number} factor known exactly */
export function scaleEstimate(estimate, factor) {
  return mapEstimate(estimate, value => value * factor);
}

/** Turns a decrease into an increase, and vice versa. @param {Estimate} estimate @returns {Estimate} */
export function negateEstimate({ value, low, high }) {
  return mapEstimate({ value, low: high, high: low }, one => -one);
}
