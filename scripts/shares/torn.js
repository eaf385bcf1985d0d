/**
 * Stacks that were read while they changed: a profiler that does not stop its target can see the lower
 * half of one call and the upper half of the next.
 */

/** @import { Profile } from '../../lib/profile/profile.d.ts' */

/**
 * @typedef {object} Calls
 * @property {Int32Array} functionOf per frame of the profile
 * @property {string[]} names of the functions
 */

/** Lines of a function are one. @param {Profile} profile @returns {Calls} */
export function nameFunctions({ frames }) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  const functionOf = Int32Array.from(frames, ({ name, file }) => {
    const key = `${name} (${file})`;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  });
  return { functionOf, names: [...ids.keys()] };
}

/**
 * Stacks whose outermost function is hardly ever outermost: their beginning was not read. A function
 * counts as one that begins stacks when it does so in most of those that hold it.
 * @param {Profile} profile
 * @param {Calls} [calls]
 * @returns {Uint8Array} per node: its stack lacks its root
 */
export function findRootless(profile, { functionOf, names } = nameFunctions(profile)) {
  const { nodes, rows } = profile;
  const asRoot = new Float64Array(names.length);
  const inAll = new Float64Array(names.length);
  const lastRow = new Int32Array(names.length).fill(-1);
  for (let row = 0; row < rows.node.length; row++) {
    const weight = rows.weight[row] ?? 0;
    for (let node = rows.node[row] ?? -1; node >= 0; node = nodes.parent[node] ?? -1) {
      const id = functionOf[nodes.frame[node] ?? 0] ?? 0;
      if (lastRow[id] !== row) inAll[id] = (inAll[id] ?? 0) + weight;
      lastRow[id] = row;
      if ((nodes.parent[node] ?? -1) < 0) asRoot[id] = (asRoot[id] ?? 0) + weight;
    }
  }
  const rootless = new Uint8Array(nodes.frame.length);
  for (let node = 0; node < rootless.length; node++) {
    const parent = nodes.parent[node] ?? -1;
    const id = functionOf[nodes.frame[node] ?? 0] ?? 0;
    if (parent < 0) rootless[node] = (asRoot[id] ?? 0) * 2 < (inAll[id] ?? 0) ? 1 : 0;
    else rootless[node] = rootless[parent] ?? 0;
  }
  return rootless;
}

/**
 * Who calls whom, by name, and who begins a stack (called by '').
 * @param {Profile} profile @param {Calls} [calls]
 * @returns {Map<string, number>} samples per `caller > callee`
 */
export function countEdges(profile, calls = nameFunctions(profile)) {
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
 * @param {Calls} [calls]
 * @returns {Uint8Array} per node
 */
export function findStrange(profile, known, calls = nameFunctions(profile)) {
  const { nodes } = profile;
  const strange = new Uint8Array(nodes.frame.length);
  for (let node = 0; node < strange.length; node++)
    strange[node] =
      (strange[nodes.parent[node] ?? -1] ?? 0) || !known.has(edgeOf(profile, calls, node)) ? 1 : 0;
  return strange;
}

/** @param {Profile} profile @param {Calls} calls @param {number} node */
function edgeOf({ nodes }, { functionOf, names }, node) {
  const parent = nodes.parent[node] ?? -1;
  const caller = parent < 0 ? '' : names[functionOf[nodes.frame[parent] ?? 0] ?? 0];
  return `${caller} > ${names[functionOf[nodes.frame[node] ?? 0] ?? 0]}`;
}
