/** Does a cell's measurement only show the load generator's own speed? */

import { isMachineFull } from '../../../../analysis/bottleneck/thresholds.js';
import { sum } from '../../../../base/math/summary.js';

/** @import { GeneratorLimit } from '../../../../run/facts/bottleneck.d.ts' */
/** @import { CellFigures } from '../../../../run/facts/study-records.d.ts' */

/** Least ratio for the arrivals to count as more than what is completed. */
const MORE_THAN_DONE = 1.05;

/** @typedef {Pick<CellFigures, 'generator' | 'host' | 'components' | 'dispatchPerSec' | 'throughputPerSec'>} GeneratorFigures */

/**
 * A generator that was busy, fell behind its schedule, or starved because of a quota, is the limit. One that starves
 * beside a target that saturates the machine is not: the machine is. But if it takes more of a saturated machine than
 * the whole target, the measurement shows its own consumption. If more arrives than is completed, it has sent enough,
 * however late.
 * @param {GeneratorFigures} figures
 * @returns {Partial<GeneratorLimit> | null} the reason; null where it is not the limit
 */
export function findGeneratorLimit(figures) {
  const { generator, host, components } = figures;
  if (figures.dispatchPerSec > figures.throughputPerSec * MORE_THAN_DONE) return null;
  const isFull = isMachineFull(host);
  const sign = generator.signs.find(({ id, isLimit }) => isLimit && !(id === 'starved' && isFull));
  if (sign) return { sign };
  if (!isFull || !host || generator.cores === null || components.length === 0) return null;
  const target = sum(components.map(({ cores }) => cores));
  const others = host.cores - target - generator.cores;
  if (generator.cores <= Math.max(target, others)) return null;
  return { generatorCores: generator.cores, targetCores: target };
}

/** @param {GeneratorFigures} figures */
export function isGeneratorLimit(figures) {
  return findGeneratorLimit(figures) !== null;
}
