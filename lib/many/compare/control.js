/** The other endpoints as a control: what moves all of them together is the machine, not the change. */

import { mean, median } from '../../math/summary.js';
import { compareValues } from './compare-values.js';

/** @import { Estimate } from '../../facts/estimate.d.ts' */
/** @import { Comparison } from './compare-values.js' */

/** Below this, one more endpoint that changed would move their median. */
const LEAST_OTHERS = 4;
/** An endpoint that stayed while most of the others changed differs from them by as much as they changed. */
const LEAST_RATIO = 2;

/**
 * @template T
 * @typedef {{change: T, values: number[], comparison: Comparison, others: Estimate, isControl: boolean}} Beside
 *   `values`: one per run, `before` first, without what moved the others. `others`: their relative
 *   change; `isControl`: they did not change significantly, and by far less than the endpoint did
 */

/**
 * The CPU time of each endpoint without the part that the median of the other endpoints shares. The
 * control of a run is made without regard to sides, so that a test of dealt runs stays exact.
 * @template {Comparison} T
 * @param {T[]} costs of all endpoints, with a value of every run
 * @param {number} before number of runs
 * @param {number} alpha
 * @returns {Beside<T>[]} none where there are too few endpoints
 */
export function compareBesideOthers(costs, before, alpha) {
  const known = costs.flatMap(change => {
    const values = [...change.before.values, ...change.after.values];
    if (values.some(value => value <= 0)) return [];
    const logs = values.map(Math.log);
    const middle = mean(logs);
    return [{ change, values, moves: logs.map(log => log - middle) }];
  });
  if (known.length <= LEAST_OTHERS) return [];
  const compare = (/** @type {number[]} */ values) =>
    compareValues(values.slice(0, before), values.slice(before), { alpha });
  return known.map(({ change, values: own }) => {
    const others = known.filter(other => other.change !== change);
    const drift = own.map((_, run) => Math.exp(median(others.map(({ moves }) => moves[run] ?? 0))));
    const values = own.map((value, run) => value / (drift[run] ?? 1));
    const comparison = compare(values);
    const control = compare(drift);
    const isControl =
      (control.p ?? 0) > alpha &&
      sizeOf(comparison.relative) > LEAST_RATIO * sizeOf(control.relative);
    const unknown = { value: 0, low: null, high: null };
    return { change, values, comparison, others: control.relative ?? unknown, isControl };
  });
}

/** Halved is as far as doubled. @param {Estimate | null} relative */
function sizeOf(relative) {
  return Math.abs(Math.log1p(relative?.value ?? 0));
}
