/** One throughput ÷ another, with the interval that both give it. */
import { meanShift } from '../../compare/statistics/student.js';

/** @typedef {import('../../analysis/report.d.ts').Estimate} Estimate */
/** @typedef {{throughputPerSec: Estimate, values: number[]}} Measured `values`: of each repeat */

const ALPHA = 0.05;

/**
 * Between repeats by Student's t of ln X, because throughputs spread by shares of themselves; with one
 * repeat from the two intervals, whose relative halves add up as squares.
 * @param {Measured} top
 * @param {Measured} bottom
 * @returns {Estimate} no interval where one of the two has none
 */
export function ratioOfThroughputs(top, bottom) {
  const [tops, bottoms] = [logs(top.values), logs(bottom.values)];
  if (tops.length > 1 && bottoms.length > 1) {
    const { value, low, high } = meanShift(bottoms, tops, ALPHA);
    return { value: Math.exp(value), low: exp(low), high: exp(high) };
  }
  const value = top.throughputPerSec.value / bottom.throughputPerSec.value;
  const halves = [top, bottom].map(({ throughputPerSec }) => relativeHalf(throughputPerSec));
  const [first, second] = halves;
  if (first == null || second == null) return { value, low: null, high: null };
  const factor = Math.exp(Math.hypot(first, second));
  return { value, low: value / factor, high: value * factor };
}

/** A repeat in which nothing got done has none. @param {number[]} values */
function logs(values) {
  return values.filter(value => value > 0).map(value => Math.log(value));
}

/** @param {number | null} value */
function exp(value) {
  return value === null ? null : Math.exp(value);
}

/** @param {Estimate} estimate */
function relativeHalf({ value, low, high }) {
  return low === null || high === null ? null : (high - low) / 2 / value;
}
