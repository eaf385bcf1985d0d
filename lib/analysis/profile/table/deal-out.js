/** The rows of the base, split into pieces by window. */

import { sum } from '../../../base/math/summary.js';
import { findWindow } from '../../read/load/build-grid.js';
import { HALF_SECOND_MS } from '../../stacks/markers.js';

/**
 * @callback VisitPieces
 * @param {(index: number, window: number, weight: number) => void} visit takes the index of a row of the
 *   base, a window and samples
 * @returns {void}
 */

/**
 * Pieces are not stored, because there are millions: a second visit deals them out in the same way again.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {Pick<import('../profile-base.js').ProfileBase, 'rows' | 'rowWeights'>} base
 * @param {import('../../read/load/build-grid.js').Grid | null} grid
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

// Finds the window of the grid that contains the samples of a row.

/**
 * @typedef {object} RowPlacer
 * @property {(row: number) => number} windowOf the one window of a row of the profile; -1 where there are several
 * @property {(row: number, weight: number, visit: (window: number, weight: number) => void) => void} spread
 *   deals its samples out to several windows
 */

/**
 * A row with a known half-second is placed there. Any other row is somewhere in its segment: its samples are dealt out
 * to the windows that the segment covers, in proportion to the time in each, so that each sample is in one window and
 * none is lost.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {import('../../read/load/build-grid.js').Grid | null} grid null: one window
 * @returns {RowPlacer}
 */
function createRowPlacer({ rows, segments }, grid) {
  if (!grid) return { windowOf: () => 0, spread: (_row, weight, visit) => visit(0, weight) };
  const { edgesMs } = grid;
  const spreads = segments.map(segment => createSpread(segment, edgesMs));
  const unknown = createSpread({ startMs: null, endMs: null }, edgesMs);
  const spreadOf = (/** @type {number} */ row) => spreads[rows.segment[row] ?? -1] ?? unknown;
  return {
    windowOf(row) {
      const halfSecond = rows.halfSecond[row] ?? -1;
      if (halfSecond >= 0) {
        const window = findWindow(edgesMs, halfSecond * HALF_SECOND_MS + HALF_SECOND_MS / 2);
        if (window >= 0) return window;
      }
      return spreadOf(row).only;
    },
    spread(row, weight, visit) {
      const { first, parts, deal } = spreadOf(row);
      deal(weight, parts, (part, own) => visit(first + part, own));
    },
  };
}

/**
 * @param {import('../../stacks/profile.d.ts').SegmentInfo} segment
 * @param {number[]} edgesMs
 * @returns {{only: number, first: number, parts: ReturnType<typeof splitParts>, deal: ReturnType<typeof createDealer>}}
 */
function createSpread({ startMs, endMs }, edgesMs) {
  const end = edgesMs.length - 1;
  const from = startMs ?? edgesMs[0] ?? 0;
  const to = endMs ?? edgesMs[end] ?? 0;
  const first = Math.max(0, findWindow(edgesMs, from));
  /** @type {number[]} */
  const lengths = [];
  for (let window = first; window < end; window++) {
    const length = Math.min(to, edgesMs[window + 1] ?? 0) - Math.max(from, edgesMs[window] ?? 0);
    if (length <= 0) break;
    lengths.push(length);
  }
  const middle = Math.max(0, findWindow(edgesMs, (from + to) / 2));
  const only = lengths.length === 0 ? middle : lengths.length === 1 ? first : -1;
  return { only, first, parts: splitParts(lengths), deal: createDealer(lengths.length) };
}

/** Deals samples out to several owners, in whole samples, so that in the end each has its part. */

/**
 * @typedef {object} Parts owners and their parts, which sum to 1
 * @property {Int32Array} owners
 * @property {Float64Array} parts
 */

/**
 * @param {ArrayLike<number>} amounts per owner, in any unit
 * @returns {Parts} empty where all amounts are 0
 */
export function splitParts(amounts) {
  const owners = Int32Array.from(amounts, (_, at) => at).filter(at => (amounts[at] ?? 0) > 0);
  const own = Float64Array.from(owners, owner => amounts[owner] ?? 0);
  const total = sum([...own]);
  return { owners, parts: own.map(amount => amount / total) };
}

/**
 * @param {number} count of owners
 * @returns {(weight: number, parts: Parts, visit: (owner: number, weight: number) => void) => void}
 */
export function createDealer(count) {
  const owed = new Float64Array(count);
  return (weight, { owners, parts }, visit) => {
    let left = owners.length > 0 ? weight : 0;
    for (let at = 0; at < owners.length; at++) {
      const owner = owners[at] ?? 0;
      const exact = (owed[owner] ?? 0) + weight * (parts[at] ?? 0);
      const whole = exact >= 1 ? Math.min(left, Math.floor(exact)) : 0;
      owed[owner] = exact - whole;
      if (whole === 0) continue;
      left -= whole;
      visit(owner, whole);
    }
    while (left > 0) {
      let most = owners[0] ?? 0;
      for (let at = 1; at < owners.length; at++) {
        const owner = owners[at] ?? 0;
        if ((owed[owner] ?? 0) > (owed[most] ?? 0)) most = owner;
      }
      const own = Math.min(1, left);
      owed[most] = (owed[most] ?? 0) - own;
      left -= own;
      visit(most, own);
    }
  };
}
