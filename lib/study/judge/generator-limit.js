/** Whether what a cell measured is the load generator's own speed. */

/** @import { CellFigures } from '../study-records.d.ts' */

/** Above this share of the machine's cores in use, everything on it takes CPU from everything else. */
export const MACHINE_FULL = 0.9;

/** @param {CellFigures['host']} host */
export function isMachineFull(host) {
  return host !== null && host.cores >= host.cpus * MACHINE_FULL;
}

/**
 * A generator that starved beside a target which fills the machine is no limit of its own: the machine
 * is. A generator that was busy, fell behind its schedule, or starved of a quota is.
 * @param {Pick<CellFigures, 'generator' | 'host'>} figures
 * @returns {import('../../analysis/report.d.ts').GeneratorSign | null} the sign that says so
 */
export function findGeneratorLimit({ generator, host }) {
  return (
    generator.signs.find(
      ({ id, isLimit }) => isLimit && !(id === 'starved' && isMachineFull(host)),
    ) ?? null
  );
}

/** @param {Pick<CellFigures, 'generator' | 'host'>} figures */
export function isGeneratorLimit(figures) {
  return findGeneratorLimit(figures) !== null;
}
