/** The merged call tree: by function, over all processes, threads and lines. */
import { addTo, entryOf } from '../../../base/files/maps.js';
import { addUpwards, NodeTable } from '../../stacks/node-table.js';

/** @typedef {import('../../stacks/profile.d.ts').Profile} Profile */

/**
 * @typedef {object} MergedTree node 0 is the root; parents come before their children
 * @property {Int32Array} place per node of the profile: its node here, -1 where no sample of the base passes
 * @property {Int32Array} parent -1 for the root
 * @property {Int32Array} function index into the functions of the profile, -1 for the root
 * @property {Int32Array} line that most samples of the node took, 0 where unknown
 * @property {Int32Array} origin a profile node that the node was made from, -1 for the root
 */

/**
 * @param {Profile} profile
 * @param {Pick<import('../profile-base.js').ProfileBase, 'weights'>} base
 * @param {Int32Array} functionOf per frame
 * @returns {MergedTree}
 */
export function mergeTree({ nodes, frames }, base, functionOf) {
  const totals = addUpwards(nodes, base.weights.slice());
  const table = new NodeTable();
  table.intern(-1, -1);
  const place = new Int32Array(totals.length).fill(-1);
  let count = 1;
  for (let node = 0; node < totals.length; node++) {
    if ((totals[node] ?? 0) === 0) continue;
    const parent = nodes.parent[node] ?? -1;
    const above = parent < 0 ? 0 : (place[parent] ?? 0);
    const at = table.intern(above, functionOf[nodes.frame[node] ?? 0] ?? 0);
    place[node] = at;
    count = Math.max(count, at + 1);
  }
  const { parent, frame } = table.build();
  const origin = new Int32Array(count).fill(-1);
  for (let node = place.length - 1; node >= 0; node--) {
    const at = place[node] ?? -1;
    if (at >= 0) origin[at] = node;
  }
  const lineOf = (/** @type {number} */ node) => frames[nodes.frame[node] ?? 0]?.line ?? 0;
  return { place, parent, function: frame, line: findLines(place, totals, lineOf, count), origin };
}

/**
 * Most nodes have one line or a few, so the first one of each is stored separately.
 * @param {Int32Array} place
 * @param {Float64Array} totals
 * @param {(node: number) => number} lineOf
 * @param {number} count
 */
function findLines(place, totals, lineOf, count) {
  const line = new Int32Array(count).fill(-1);
  const weight = new Float64Array(count);
  /** @type {Map<number, Map<number, number>>} */
  const others = new Map();
  for (let node = 0; node < place.length; node++) {
    const at = place[node] ?? -1;
    if (at < 0) continue;
    const own = lineOf(node);
    if (line[at] === -1) line[at] = own;
    if (line[at] === own) {
      weight[at] = (weight[at] ?? 0) + (totals[node] ?? 0);
      continue;
    }
    addTo(
      entryOf(others, at, () => new Map()),
      own,
      totals[node] ?? 0,
    );
  }
  for (const [at, lines] of others)
    for (const [own, total] of lines)
      if (total > (weight[at] ?? 0)) {
        weight[at] = total;
        line[at] = own;
      }
  line[0] = 0;
  return line;
}
