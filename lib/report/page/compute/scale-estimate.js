/** @import { Estimate } from '../../../analysis/report.d.ts' */

/** @param {Estimate} estimate @param {number} factor that is known exactly @returns {Estimate} */
export function scaleEstimate({ value, low, high }, factor) {
  return {
    value: value * factor,
    low: low === null ? null : low * factor,
    high: high === null ? null : high * factor,
  };
}
