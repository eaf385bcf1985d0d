/** Whether what a cell measured is the load generator's own speed. */

import { formatCores } from '../../format.js';

/** @import { CellFigures } from '../study-records.d.ts' */

/** Above this share of the machine's cores in use, everything on it takes CPU from everything else. */
export const MACHINE_FULL = 0.9;

/** So much more must come in to be called more. */
const MORE_THAN_DONE = 1.05;

/** @typedef {Pick<CellFigures, 'generator' | 'host' | 'components' | 'dispatchPerSec' | 'throughputPerSec'>} GeneratorFigures */

/** @param {CellFigures['host']} host */
export function isMachineFull(host) {
  return host !== null && host.cores >= host.cpus * MACHINE_FULL;
}

/**
 * A generator that was busy, fell behind its schedule, or starved of a quota, is the limit. One that
 * starves beside a target which fills the machine is not: the machine is. But where it takes more of a
 * full machine than all of the target, what is measured is its own appetite. Where more comes in than
 * is completed it has sent enough, however late.
 * @param {GeneratorFigures} figures
 * @returns {string | null} a clause that says so
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
  if (sign) return sign.text;
  if (!isFull || !host || generator.cores === null || components.length === 0) return null;
  const target = components.reduce((sum, { cores }) => sum + cores, 0);
  const others = host.cores - target - generator.cores;
  if (generator.cores <= Math.max(target, others)) return null;
  return `the machine was full, and the generator took ${formatCores(generator.cores)} cores of it, the target ${formatCores(target)}`;
}

/** @param {GeneratorFigures} figures */
export function isGeneratorLimit(figures) {
  return findGeneratorLimit(figures) !== null;
}
