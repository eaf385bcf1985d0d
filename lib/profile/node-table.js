/** A growing prefix tree: (parent, frame) → node, as open addressing over typed arrays. */

/** @import { Profile } from './profile.d.ts' */

const FIRST_CAPACITY = 1024;

/** Holds millions of nodes in 8 bytes each plus the hash; a `Map` would need about ten times that. */
export class NodeTable {
  #parent = new Int32Array(FIRST_CAPACITY);
  #frame = new Int32Array(FIRST_CAPACITY);
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #count = 0;

  /** The node of `frame` called from `parent` (-1: outermost), made when it is new.
   * @param {number} parent @param {number} frame */
  intern(parent, frame) {
    const mask = this.#slots.length - 1;
    let slot = hash(parent, frame) & mask;
    for (;;) {
      const node = this.#slots[slot] ?? -1;
      if (node === -1) break;
      if (this.#parent[node] === parent && this.#frame[node] === frame) return node;
      slot = (slot + 1) & mask;
    }
    const node = this.#count++;
    this.#parent[node] = parent;
    this.#frame[node] = frame;
    this.#slots[slot] = node;
    if (this.#count === this.#parent.length) this.#grow();
    return node;
  }

  /** @returns {{parent: Int32Array, frame: Int32Array}} parents stand before their children */
  build() {
    return {
      parent: this.#parent.slice(0, this.#count),
      frame: this.#frame.slice(0, this.#count),
    };
  }

  #grow() {
    const capacity = this.#parent.length * 2;
    const parent = new Int32Array(capacity);
    parent.set(this.#parent);
    this.#parent = parent;
    const frame = new Int32Array(capacity);
    frame.set(this.#frame);
    this.#frame = frame;
    this.#slots = new Int32Array(capacity * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let node = 0; node < this.#count; node++) {
      let slot = hash(parent[node] ?? 0, frame[node] ?? 0) & mask;
      while (this.#slots[slot] !== -1) slot = (slot + 1) & mask;
      this.#slots[slot] = node;
    }
  }
}

/** @param {number} parent @param {number} frame */
function hash(parent, frame) {
  let value = Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The ids of a stack's frames, outermost first. @param {Pick<Profile, 'nodes'>} profile @param {number} node innermost, -1 for none */
export function stackOf({ nodes }, node) {
  /** @type {number[]} */
  const ids = [];
  for (let at = node; at >= 0; at = nodes.parent[at] ?? -1) ids.push(nodes.frame[at] ?? 0);
  return ids.reverse();
}

/**
 * Adds what ends at each node to all nodes above it.
 * @param {Pick<Profile['nodes'], 'parent'>} nodes
 * @param {Float64Array} totals of each node what ends there; changed
 */
export function addUpwards({ parent }, totals) {
  for (let node = totals.length - 1; node >= 0; node--) {
    const above = parent[node] ?? -1;
    if (above >= 0) totals[above] = (totals[above] ?? 0) + (totals[node] ?? 0);
  }
}

// -- The rows of a profile without their times: equal stacks of the same process and thread are one.

/** @typedef {{process: number, thread: number, weight: number}} Share */

/**
 * The same without times and threads: all of a process is one row for each stack, in order of first
 * appearance.
 * @param {Profile} profile
 * @returns {Profile}
 */
export function joinThreads(profile) {
  const { pairs, weights } = sumPairs(profile, row => profile.rows.process[row] ?? -1);
  const { parent: node, frame: process } = pairs;
  const none = new Int32Array(node.length).fill(-1);
  const noTimes = { thread: none, segment: none, route: none, halfSecond: new Float64Array() };
  const rows = { node, process, weight: Float64Array.from(weights), ...noTimes };
  return Object.freeze({ ...profile, rows, threads: [], segments: [], routes: [] });
}

/**
 * @param {Profile} profile
 * @returns {Generator<{node: number, shares: Share[]}, void>} stacks in order of first appearance
 */
export function* sumRows(profile) {
  const { rows } = profile;
  const width = profile.threads.length + 1;
  const { pairs, weights } = sumPairs(
    profile,
    row => ((rows.process[row] ?? -1) + 1) * width + (rows.thread[row] ?? -1) + 1,
  );
  const { parent: nodes, frame: owners } = pairs;
  // Pairs of the same node hang on a chain, so that no stack is read twice.
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
      shares.push({ process, thread: (owner % width) - 1, weight: weights[pair] ?? 0 });
    }
    yield { node: nodes[first] ?? -1, shares };
  }
}

/** @param {Profile} profile @param {(row: number) => number} ownerOf */
function sumPairs({ rows }, ownerOf) {
  const table = new NodeTable();
  /** @type {number[]} */
  const weights = [];
  for (let row = 0; row < rows.node.length; row++) {
    const pair = table.intern(rows.node[row] ?? -1, ownerOf(row));
    weights[pair] = (weights[pair] ?? 0) + (rows.weight[row] ?? 0);
  }
  return { pairs: table.build(), weights };
}
