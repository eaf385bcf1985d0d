/** The rows of a profile without their times: equal stacks of the same process and thread are one. */
import { NodeTable } from './node-table.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */
/** @typedef {{process: number, thread: number, weight: number}} Share */

/**
 * @param {Profile} profile
 * @param {{threads?: boolean}} [options] `threads: false`: the threads of a process are one
 * @returns {Generator<{node: number, shares: Share[]}, void>} stacks in order of first appearance
 */
export function* sumRows(profile, { threads = true } = {}) {
  const { rows } = profile;
  const width = threads ? profile.threads.length + 1 : 1;
  const pairs = new NodeTable();
  /** @type {number[]} */
  const weights = [];
  for (let row = 0; row < rows.node.length; row++) {
    const thread = threads ? (rows.thread[row] ?? -1) + 1 : 0;
    const owner = ((rows.process[row] ?? -1) + 1) * width + thread;
    const pair = pairs.intern(rows.node[row] ?? -1, owner);
    weights[pair] = (weights[pair] ?? 0) + (rows.weight[row] ?? 0);
  }
  const { parent: nodes, frame: owners } = pairs.build();
  // Pairs of the same node hang on a chain, so that no stack is looked at twice.
  const last = new Int32Array(profile.nodes.frame.length + 1).fill(-1);
  const next = new Int32Array(nodes.length).fill(-1);
  const isFirst = new Uint8Array(nodes.length);
  for (let pair = 0; pair < nodes.length; pair++) {
    const node = (nodes[pair] ?? -1) + 1;
    const before = last[node] ?? -1;
    if (before < 0) isFirst[pair] = 1;
    else next[before] = pair;
    last[node] = pair;
  }
  for (let first = 0; first < nodes.length; first++) {
    if (!isFirst[first]) continue;
    /** @type {Share[]} */
    const shares = [];
    for (let pair = first; pair >= 0; pair = next[pair] ?? -1) {
      const owner = owners[pair] ?? 0;
      const process = Math.floor(owner / width) - 1;
      const thread = threads ? (owner % width) - 1 : -1;
      shares.push({ process, thread, weight: weights[pair] ?? 0 });
    }
    yield { node: nodes[first] ?? -1, shares };
  }
}
