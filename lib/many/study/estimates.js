/** Figures of several cells as one estimate, ratios of them, and what their intervals rest on. */
import { studentTwoSidedQuantile } from '../../math/distributions.js';
import { estimateRatio, Z95 } from '../../math/intervals.js';
import { meanOfRuns, meanShift } from '../../math/means.js';
import { mean, sum } from '../../math/summary.js';

/** @import { Estimate } from '../../facts/estimate.d.ts' */

export const ALPHA = 0.05;
/** Between two runs an interval says next to nothing: Student's t with one degree of freedom is 12.7. */
export const LEAST_REPEATS = 3;
/** A ratio of sums needs so many blocks of time. */
const LEAST_BLOCKS = 5;

/** @typedef {{top: number, bottom: number}[]} Windows amounts per second: of what is counted, and of what it is divided by */
/** @typedef {{estimate: Estimate, intervalOf: 'repeats' | 'within-run' | 'none'}} Estimated */
/** @typedef {Estimated & {values: number[]}} OverRepeats `values`: of each repeat */
/** @typedef {{repeat: number, top: number, bottom: number, windows: Windows}} Amounts of one cell */

/**
 * A figure over one step or several, of all cells there: the one way to it, so that it is the same
 * wherever it is told. Of a repeat it is a ratio of sums: each step counts alike, and the price of a
 * transaction is one ÷ how many of them a core gives.
 * @param {Amounts[]} cells
 * @returns {OverRepeats | null} null where nothing is known
 */
export function estimateOverCells(cells) {
  const values = [...Map.groupBy(cells, ({ repeat }) => repeat).values()].flatMap(own => {
    const bottom = sum(own.map(cell => cell.bottom));
    return bottom > 0 ? [sum(own.map(cell => cell.top)) / bottom] : [];
  });
  if (values.length === 0) return null;
  const windows = cells.map(cell => cell.windows);
  return { ...estimateOverRepeats(values, windows), values };
}

/**
 * Three repeats or more: Student's t of the logarithms, because rates spread by shares of themselves.
 * Fewer: how sure a run is of its own figure, which says nothing of what another run would give.
 * @param {number[]} values one per repeat, at least one
 * @param {Windows[]} windows seconds of each repeat
 * @returns {Estimated}
 */
export function estimateOverRepeats(values, windows) {
  const isPositive = values.every(value => value > 0);
  if (values.length >= LEAST_REPEATS) {
    const estimate = isPositive
      ? mapEstimate(meanOfRuns(values.map(Math.log), ALPHA), Math.exp)
      : mapEstimate(meanOfRuns(values, ALPHA), value => Math.max(0, value));
    return { estimate, intervalOf: 'repeats' };
  }
  const value = isPositive
    ? values.reduce((product, own) => product * own) ** (1 / values.length)
    : mean(values);
  const half = value > 0 ? findRelativeHalf(windows) : null;
  if (half === null) return { estimate: { value, low: null, high: null }, intervalOf: 'none' };
  return {
    estimate: { value, low: value * Math.max(0, 1 - half), high: value * (1 + half) },
    intervalOf: 'within-run',
  };
}

/**
 * Half of the 95 % interval of a ratio of sums, as a share of it: a jackknife over blocks of seconds,
 * because neighbouring seconds hang together (H. Künsch, "The jackknife and the bootstrap for general
 * stationary observations", Annals of Statistics 17, 1989), paid for few blocks with Student's t.
 * @param {Windows[]} windows
 * @returns {number | null} null where there are too few seconds
 */
export function findRelativeHalf(windows) {
  const blocks = windows.flatMap(joinSeconds).filter(({ bottom }) => bottom > 0);
  const ratio = estimateRatio(blocks);
  if (!ratio || !(ratio.value > 0)) return null;
  const t = studentTwoSidedQuantile(ALPHA, blocks.length - 1);
  return (((ratio.high - ratio.value) / ratio.value) * t) / Z95;
}

/** Blocks of ∛n seconds, or shorter ones where there would be fewer than five. @param {Windows} seconds */
function joinSeconds(seconds) {
  const length = Math.max(
    1,
    Math.min(Math.round(Math.cbrt(seconds.length)), Math.floor(seconds.length / LEAST_BLOCKS)),
  );
  const count = Math.floor(seconds.length / length);
  return Array.from({ length: count }, (_, block) => {
    const own = seconds.slice(
      block * length,
      block === count - 1 ? undefined : (block + 1) * length,
    );
    return own.reduce(
      (sum, { top, bottom }) => ({ top: sum.top + top, bottom: sum.bottom + bottom }),
      { top: 0, bottom: 0 },
    );
  });
}

/**
 * One throughput ÷ another. Between repeats by Student's t of ln X, because throughputs spread by shares
 * of themselves; with one repeat from the two intervals, whose relative halves add up as squares.
 * @param {Pick<OverRepeats, 'estimate' | 'values'>} top
 * @param {Pick<OverRepeats, 'estimate' | 'values'>} bottom
 * @returns {Estimate} no interval where one of the two has none
 */
export function ratioOfThroughputs(top, bottom) {
  const value = top.estimate.value / bottom.estimate.value;
  const [tops = [], bottoms = []] = [top, bottom].map(({ values }) =>
    // a repeat in which nothing got done has no logarithm
    values.filter(own => own > 0).map(Math.log),
  );
  if (tops.length > 1 && bottoms.length > 1)
    return { ...mapEstimate(meanShift(bottoms, tops, ALPHA), Math.exp), value };
  const [first, second] = [top, bottom].map(({ estimate: { value: own, low, high } }) =>
    low === null || high === null ? null : (high - low) / 2 / own,
  );
  if (first == null || second == null) return { value, low: null, high: null };
  const factor = Math.exp(Math.hypot(first, second));
  return { value, low: value / factor, high: value * factor };
}

/** @param {Estimate} estimate @param {(value: number) => number} map rising @returns {Estimate} */
export function mapEstimate({ value, low, high }, map) {
  return {
    value: map(value),
    low: low === null ? null : map(low),
    high: high === null ? null : map(high),
  };
}

/** Mean of what is known; null where nothing is. @param {(number | null)[]} values */
export function meanOfKnown(values) {
  const known = values.filter(value => value !== null);
  return known.length > 0 ? mean(known) : null;
}
