/** The rows of the base, each part of one in its window. */
import { createRowPlacer } from './place-rows.js';

/**
 * @typedef {object} Pieces parallel arrays
 * @property {number} count
 * @property {Int32Array} index into the rows of the base
 * @property {Uint32Array} window
 * @property {Float64Array} weight samples
 */

/**
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
 * @param {import('../timeline/build-timeline.js').Grid | null} grid
 * @returns {Pieces}
 */
export function listPieces(profile, base, grid) {
  let capacity = base.rows.length + 16;
  let pieces = {
    index: new Int32Array(capacity),
    window: new Uint32Array(capacity),
    weight: new Float64Array(capacity),
  };
  let count = 0;
  let current = 0;
  const place = createRowPlacer(profile, grid);
  const add = (/** @type {number} */ window, /** @type {number} */ weight) => {
    if (count === capacity) {
      capacity *= 2;
      pieces = {
        index: grow(pieces.index, new Int32Array(capacity)),
        window: grow(pieces.window, new Uint32Array(capacity)),
        weight: grow(pieces.weight, new Float64Array(capacity)),
      };
    }
    pieces.index[count] = current;
    pieces.window[count] = window;
    pieces.weight[count++] = weight;
  };
  for (; current < base.rows.length; current++) {
    const row = base.rows[current] ?? 0;
    place(row, base.rowWeights[current] ?? 0, add);
  }
  return { count, ...pieces };
}

/** @template {Int32Array | Uint32Array | Float64Array} T @param {T} from @param {T} into @returns {T} */
function grow(from, into) {
  into.set(from);
  return into;
}
