/** In which window of the grid the samples of a row lie. */
import { HALF_SECOND_MS } from '../../profile/markers.js';
import { findWindow } from '../timeline/build-grid.js';
import { createDealer } from './deal-out.js';

/**
 * @callback PlaceRow
 * @param {number} row of the profile
 * @param {number} weight its samples
 * @param {(window: number, weight: number) => void} visit
 * @returns {void}
 */

/**
 * Where windows are segments, a row lies in the one that holds the middle of its segment. Where they are
 * seconds, a row that tells its half-second lies there; another one is somewhere in its segment: its
 * samples are dealt out to the windows that the segment covers, in proportion to how long, so that each
 * sample is in one window and none is lost.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('../timeline/build-timeline.js').Grid | null} grid null: one window
 * @returns {PlaceRow}
 */
export function createRowPlacer({ rows, segments }, grid) {
  if (!grid) return (_row, weight, visit) => visit(0, weight);
  const { edgesMs, basis } = grid;
  const spreads = segments.map(segment => createSpread(segment, edgesMs, basis === 'segments'));
  const unknown = createSpread({ startMs: null, endMs: null }, edgesMs, false);
  return (row, weight, visit) => {
    const halfSecond = rows.halfSecond[row] ?? -1;
    if (halfSecond >= 0) {
      const window = findWindow(edgesMs, halfSecond * HALF_SECOND_MS + HALF_SECOND_MS / 2);
      if (window >= 0) return visit(window, weight);
    }
    const { first, parts, deal } = spreads[rows.segment[row] ?? -1] ?? unknown;
    deal(weight, parts, (index, own) => visit(first + index, own));
  };
}

/**
 * @param {import('../../profile/profile.d.ts').SegmentInfo} segment
 * @param {number[]} edgesMs
 * @param {boolean} isWhole it lies in one window
 * @returns {{first: number, parts: number[], deal: ReturnType<typeof createDealer>}}
 */
function createSpread({ startMs, endMs }, edgesMs, isWhole) {
  const end = edgesMs.length - 1;
  const from = startMs ?? edgesMs[0] ?? 0;
  const to = endMs ?? edgesMs[end] ?? 0;
  const middle = Math.max(0, findWindow(edgesMs, (from + to) / 2));
  if (isWhole) return { first: middle, parts: [1], deal: createDealer(1) };
  const first = Math.max(0, findWindow(edgesMs, from));
  /** @type {number[]} */
  const lengths = [];
  for (let window = first; window < end; window++) {
    const length = Math.min(to, edgesMs[window + 1] ?? 0) - Math.max(from, edgesMs[window] ?? 0);
    if (length <= 0) break;
    lengths.push(length);
  }
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total <= 0) return { first: middle, parts: [1], deal: createDealer(1) };
  return { first, parts: lengths, deal: createDealer(lengths.length) };
}
