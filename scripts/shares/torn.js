/**
 * Calls that no whole stack has: a profiler that does not stop its target can see the lower half of one call and
 * the upper half of the next.
 */
import { mergeFunctions, nameFunction } from '../../lib/analysis/profile/functions-of.js';

/** @import { Profile } from '../../lib/profile/profile.d.ts' */

/**
 * Who calls whom, by name, and who begins a stack (called by '').
 * @param {Profile} profile
 * @returns {Map<string, number>} samples per `caller > callee`
 */
export function countEdges(profile) {
  const calls = mergeFunctions(profile);
  const { nodes, rows } = profile;
  /** @type {Map<string, number>} */
  const edges = new Map();
  for (let row = 0; row < rows.node.length; row++)
    for (let node = rows.node[row] ?? -1; node >= 0; node = nodes.parent[node] ?? -1) {
      const edge = edgeOf(profile, calls, node);
      edges.set(edge, (edges.get(edge) ?? 0) + (rows.weight[row] ?? 0));
    }
  return edges;
}

/**
 * Stacks with a call that none of the given ones has.
 * @param {Profile} profile
 * @param {{has: (edge: string) => boolean}} known edges of stacks that are whole
 * @returns {Uint8Array} per node
 */
export function findStrange(profile, known) {
  const calls = mergeFunctions(profile);
  const { nodes } = profile;
  const strange = new Uint8Array(nodes.frame.length);
  for (let node = 0; node < strange.length; node++)
    strange[node] =
      (strange[nodes.parent[node] ?? -1] ?? 0) || !known.has(edgeOf(profile, calls, node)) ? 1 : 0;
  return strange;
}

/** @param {Profile} profile @param {ReturnType<typeof mergeFunctions>} calls @param {number} node */
function edgeOf({ nodes }, { ofFrame, functions }, node) {
  const nameOf = (/** @type {number} */ at) =>
    nameFunction(functions[ofFrame[nodes.frame[at] ?? 0] ?? 0] ?? { function: '', file: '' });
  const parent = nodes.parent[node] ?? -1;
  return `${parent < 0 ? '' : nameOf(parent)} > ${nameOf(node)}`;
}
