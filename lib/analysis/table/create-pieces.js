/** The rows of the base, each part of one in its window. */
import { createRowPlacer } from './place-rows.js';

/**
 * @callback VisitPieces
 * @param {(index: number, window: number, weight: number) => void} visit takes the index of a row of the
 *   base, a window and samples
 * @returns {void}
 */

/**
 * Nothing is kept of them, as there are millions: who needs them twice visits them twice, and finds them
 * dealt out in the same way.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
 * @param {import('../timeline/build-timeline.js').Grid | null} grid
 * @returns {VisitPieces}
 */
export function createPieces(profile, base, grid) {
  return visit => {
    let index = 0;
    const visitPart = (/** @type {number} */ window, /** @type {number} */ weight) =>
      visit(index, window, weight);
    const placer = createRowPlacer(profile, grid);
    for (; index < base.rows.length; index++) {
      const row = base.rows[index] ?? 0;
      const weight = base.rowWeights[index] ?? 0;
      const window = placer.windowOf(row);
      if (window >= 0) visit(index, window, weight);
      else placer.spread(row, weight, visitPart);
    }
  };
}
