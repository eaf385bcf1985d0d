/** A figure of several cells as one estimate, and what its interval rests on. */
import { estimateRatio } from '../../analysis/ratio.js';
import { meanOfRuns, studentTwoSidedQuantile } from '../../compare/statistics/student.js';

/** @import { Estimate } from '../study-records.d.ts' */

export const ALPHA = 0.05;
/** Between two runs an interval says next to nothing: Student's t with one degree of freedom is 12.7. */
export const LEAST_REPEATS = 3;
/** A ratio of sums needs so many blocks of time. */
const LEAST_BLOCKS = 5;
const Z95 = 1.96;

/** @typedef {{top: number, bottom: number}[]} Windows amounts per second: of what is counted, and of what it is divided by */
/** @typedef {{estimate: Estimate, intervalOf: 'repeats' | 'within-run' | 'none'}} Estimated */

/**
 * Three repeats or more: Student's t of the logarithms, because rates spread by shares of themselves.
 * Fewer: how sure a run is of its own figure, which says nothing of what another run would give.
 * @param {number[]} values one per repeat, at least one
 * @param {Windows[]} windows seconds of each repeat
 * @returns {Estimated}
 */
export function estimateOverRepeats(values, windows) {
  if (values.length >= LEAST_REPEATS) {
    const estimate = values.every(value => value > 0)
      ? mapEstimate(meanOfRuns(values.map(Math.log), ALPHA), Math.exp)
      : mapEstimate(meanOfRuns(values, ALPHA), value => Math.max(0, value));
    return { estimate, intervalOf: 'repeats' };
  }
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
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

/** @param {Estimate} estimate @param {(value: number) => number} map rising @returns {Estimate} */
function mapEstimate({ value, low, high }, map) {
  return {
    value: map(value),
    low: low === null ? null : map(low),
    high: high === null ? null : map(high),
  };
}

/** @param {number[]} values @returns {number} NaN of none */
export function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean of what is known; null where nothing is. @param {(number | null)[]} values */
export function meanOfKnown(values) {
  const known = values.filter(value => value !== null);
  return known.length > 0 ? meanOf(known) : null;
}
