/** @import { LoadControl } from './facts/steering.d.ts' */

/**
 * Whether a load may be changed so: the phase that runs, and never above what its script has.
 * @param {{index?: unknown, to?: unknown}} request
 * @param {LoadControl} control
 * @returns {control is import('./facts/steering.d.ts').Steerable}
 */
export function isAllowed({ index, to }, control) {
  if ('why' in control || control.index !== index || typeof to !== 'number') return false;
  return to >= 0 && to <= control.most && (control.of === 'arrivalRate' || Number.isInteger(to));
}
