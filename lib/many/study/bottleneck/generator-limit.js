/** Whether what a cell measured is the load generator's own speed. */

import { isMachineFull } from '../../../bottleneck/thresholds.js';
import { sum } from '../../../math/summary.js';

/** @import { GeneratorLimit } from '../../../facts/bottleneck.d.ts' */
/** @import { CellFigures } from '../../../facts/study-records.d.ts' */

/** So much more must come in to be called more. */
const MORE_THAN_DONE = 1.05;

/** @typedef {Pick<CellFigures, 'generator' | 'host' | 'components' | 'dispatchPerSec' | 'throughputPerSec'>} GeneratorFigures */

/**
 * A generator that was busy, fell behind its schedule, or starved of a quota, is the limit. One that
 * starves beside a target which fills the machine is not: the machine is. But where it takes more of a
 * full machine than all of the target, what is measured is its own appetite. Where more comes in than
 * is completed it has sent enough, however late.
 * @param {GeneratorFigures} figures
 * @returns {Partial<GeneratorLimit> | null} why
 */
export function findGeneratorLimit({
  generator,
  host,
  components,
  dispatchPerSec,
  throughputPerSec,
}) {
  if (dispatchPerSec > throughputPerSec * MORE_THAN_DONE) return null;
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
