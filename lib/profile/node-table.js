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

// -- The rows of a profile without their times: equal stacks of the same process and thread are one.

/** @typedef {{process: number, thread: number, weight: number}} Share */

/**
 * @param {Profile} profile
 * @param {{threads?: boolean}} [options] `threads: false`: the threads of a process are one
 * @returns {Generator<{node: number, shares: Iterable<Share>}, void>} stacks in order of first appearance
 */
export function* sumRows({ rows, nodes, ...profile }, { threads = true } = {}) {
  const width = profile.threads.length + 1;
  // The rows of each node stand beside each other: a hash of all pairs would be three times as large.
  const ends = new Int32Array(nodes.frame.length + 2);
  for (const node of rows.node) ends[node + 2] = (ends[node + 2] ?? 0) + 1;
  for (let at = 1; at < ends.length; at++) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
  const order = new Int32Array(rows.node.length);
  for (const [row, node] of rows.node.entries()) {
    const end = ends[node + 1] ?? 0;
    order[end] = row;
    ends[node + 1] = end + 1;
  }
  for (const [first, node] of rows.node.entries()) {
    let at = ends[node] ?? 0;
    if (order[at] !== first) continue;
    /** @type {Map<number, Share>} */
    const shares = new Map();
    for (const end = ends[node + 1] ?? 0; at < end; at++) {
      const row = order[at] ?? 0;
      const process = rows.process[row] ?? -1;
      const thread = threads ? (rows.thread[row] ?? -1) : -1;
      const weight = rows.weight[row] ?? 0;
      const owner = (process + 1) * width + thread + 1;
      const share = shares.get(owner);
      if (share) share.weight += weight;
      else shares.set(owner, { process, thread, weight });
    }
    yield { node, shares: shares.values() };
  }
}
