/** Figures of several cells as one estimate, and ratios of them. */
import { mapEstimate } from '../../../base/math/intervals.js';
import { meanOfRuns, meanShift } from '../../../base/math/means.js';
import { mean, sum } from '../../../base/math/summary.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */

export const ALPHA = 0.05;
/** An interval between two runs says next to nothing: Student's t with one degree of freedom is 12.7. */
export const LEAST_REPEATS = 3;

/** @typedef {{estimate: Estimate, values: number[]}} OverRepeats `values`: one per repeat */
/** @typedef {{repeat: number, top: number, bottom: number}} Amounts the numerator and the denominator of a ratio in one cell */

/**
 * A figure over one or several steps, from all cells there. Everything uses this function, so that the figure is the
 * same everywhere. Within a repeat it is a ratio of sums: each step counts alike, and the cost of a transaction is
 * 1 ÷ the number that a core completes.
 * @param {Amounts[]} cells
 * @returns {OverRepeats | null} null where unknown
 */
export function estimateOverCells(cells) {
  const values = [...Map.groupBy(cells, ({ repeat }) => repeat).values()].flatMap(own => {
    const bottom = sum(own.map(cell => cell.bottom));
    return bottom > 0 ? [sum(own.map(cell => cell.top)) / bottom] : [];
  });
  return values.length === 0 ? null : { estimate: estimateOverRepeats(values), values };
}

/**
 * With three repeats or more: Student's t of the logarithms, because the spread of a rate is proportional to it.
 * With fewer there is no interval: how steady one run is says nothing about another one.
 * @param {number[]} values one per repeat, at least one
 * @returns {Estimate}
 */
export function estimateOverRepeats(values) {
  const isPositive = values.every(value => value > 0);
  if (values.length >= LEAST_REPEATS)
    return isPositive
      ? mapEstimate(meanOfRuns(values.map(Math.log), ALPHA), Math.exp)
      : mapEstimate(meanOfRuns(values, ALPHA), value => Math.max(0, value));
  const value = isPositive
    ? values.reduce((product, own) => product * own) ** (1 / values.length)
    : mean(values);
  return { value, low: null, high: null };
}

/**
 * One throughput ÷ another: Student's t of ln X, because the spread of a throughput is proportional to it.
 * @param {OverRepeats} top
 * @param {OverRepeats} bottom
 * @returns {Estimate} no interval where one of the two has a single repeat
 */
export function ratioOfThroughputs(top, bottom) {
  const value = top.estimate.value / bottom.estimate.value;
  const [tops = [], bottoms = []] = [top, bottom].map(({ values }) =>
    // a repeat that completed nothing has no logarithm
    values.filter(own => own > 0).map(Math.log),
  );
  if (tops.length < 2 || bottoms.length < 2) return { value, low: null, high: null };
  return { ...mapEstimate(meanShift(bottoms, tops, ALPHA), Math.exp), value };
}

/** Mean of the known values; null without any. @param {(number | null)[]} values */
export function meanOfKnown(values) {
  const known = values.filter(value => value !== null);
  return known.length > 0 ? mean(known) : null;
}
