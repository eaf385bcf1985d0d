/** Compares two lists of values, one value per run. */

import { mapEstimate } from '../../base/math/intervals.js';
import { meanShift } from '../../base/math/means.js';
import { hodgesLehmannShift, mannWhitneyP, smallestP } from '../../base/math/rank-tests.js';
import { median } from '../../base/math/summary.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Change, SideValue } from '../../run/facts/compare-report.d.ts' */

/**
 * @typedef {Pick<Change, 'before' | 'after' | 'shift' | 'relative' | 'intervalOf' | 'p'>} Comparison
 */

/** How certain a single run's figure is: standard errors of the value and of its logarithm. @typedef {{error: number, logError: number | null, t: number}} WithinRun */

/**
 * Ratios are compared as differences of logarithms: a latency that doubles and one that halves are equally
 * far apart.
 * @param {number[]} before
 * @param {number[]} after
 * @param {{alpha: number, within?: [WithinRun | null, WithinRun | null]}} options `within`: for a single
 *   run per side
 * @returns {Comparison}
 */
export function compareValues(before, after, { alpha, within = [null, null] }) {
  const sides = { before: describeSide(before), after: describeSide(after) };
  if (before.length === 0 || after.length === 0)
    return { ...sides, p: null, shift: null, relative: null, intervalOf: 'none' };
  const isTestable = smallestP(before.length, after.length) <= alpha;
  const logs = toLogs(before, after);
  const common = { ...sides, p: isTestable ? mannWhitneyP(before, after) : null };
  if (before.length + after.length <= 2)
    return { ...common, ...compareTwo(before, after, logs, within) };
  const estimate = isTestable ? hodgesLehmannShift : meanShift;
  const shift = estimate(before, after, alpha);
  const relative = logs && mapEstimate(estimate(...logs, alpha), Math.expm1);
  return { ...common, shift, relative, intervalOf: isTestable ? 'hodges-lehmann' : 'student' };
}

/**
 * @param {number[]} before @param {number[]} after @param {[number[], number[]] | null} logs
 * @param {[WithinRun | null, WithinRun | null]} within
 * @returns {Pick<Comparison, 'shift' | 'relative' | 'intervalOf'>}
 */
function compareTwo(before, after, logs, [own, other]) {
  /**
   * @param {number} value
   * @param {number | null | undefined} a
   * @param {number | null | undefined} b
   * @returns {Estimate}
   */
  const widen = (value, a, b) => {
    if (!own || !other || typeof a !== 'number' || typeof b !== 'number')
      return { value, low: null, high: null };
    const half = Math.hypot(a, b) * Math.max(own.t, other.t);
    return { value, low: value - half, high: value + half };
  };
  const shift = widen((after[0] ?? 0) - (before[0] ?? 0), own?.error, other?.error);
  const logShift =
    logs && widen((logs[1][0] ?? 0) - (logs[0][0] ?? 0), own?.logError, other?.logError);
  const relative = logShift && mapEstimate(logShift, Math.expm1);
  return { shift, relative, intervalOf: shift.low === null ? 'none' : 'within-run' };
}

/** @param {number[]} values @returns {SideValue} */
function describeSide(values) {
  const center = values.length > 0 ? median(values) : null;
  return { values, center };
}

/** @param {number[]} before @param {number[]} after @returns {[number[], number[]] | null} null where a value is 0 */
export function toLogs(before, after) {
  if ([...before, ...after].some(value => value <= 0)) return null;
  return [before.map(Math.log), after.map(Math.log)];
}
