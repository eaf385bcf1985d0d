/** A growing prefix tree: (parent, frame) → node, as open addressing over typed arrays. */

/** @import { Profile } from './profile.d.ts' */

export const FIRST_CAPACITY = 1024;

/** Holds millions of nodes in 8 bytes each plus the hash; a `Map` would need about ten times that. */
export class NodeTable {
  #parent = new Int32Array(FIRST_CAPACITY);
  #frame = new Int32Array(FIRST_CAPACITY);
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #count = 0;

  /**
   * The node of `frame` called from `parent` (-1: outermost), created if it is new.
   * @param {number} parent @param {number} frame
   */
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

  /** @returns {{parent: Int32Array, frame: Int32Array}} parents come before their children */
  build() {
    const parent = this.#parent.slice(0, this.#count);
    return { parent, frame: this.#frame.slice(0, this.#count) };
  }

  /** @param {number} node @returns {number} its frame, -1 for none */
  frameOf(node) {
    return node < 0 ? -1 : (this.#frame[node] ?? -1);
  }

  /** @param {number} node @returns {number} -1: it is the outermost */
  parentOf(node) {
    return this.#parent[node] ?? -1;
  }

  #grow() {
    const bytes = this.#parent.byteLength * 2;
    this.#parent = new Int32Array(this.#parent.buffer.transfer(bytes));
    this.#frame = new Int32Array(this.#frame.buffer.transfer(bytes));
    this.#slots = new Int32Array(this.#parent.length * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let node = 0; node < this.#count; node++) {
      let slot = hash(this.#parent[node] ?? 0, this.#frame[node] ?? 0) & mask;
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

/** @param {Pick<Profile, 'nodes' | 'rows'>} profile @returns {Float64Array} per node: samples that end there */
export function weighNodes({ nodes, rows }) {
  const weights = new Float64Array(nodes.frame.length);
  for (let row = 0; row < rows.node.length; row++) {
    const node = rows.node[row] ?? -1;
    if (node >= 0) weights[node] = (weights[node] ?? 0) + (rows.weight[row] ?? 0);
  }
  return weights;
}

/**
 * Adds the samples that end at each node to all nodes above it.
 * @param {Pick<Profile['nodes'], 'parent'>} nodes
 * @param {Float64Array} totals per node: samples that end there; modified in place
 * @returns {Float64Array} these
 */
export function addUpwards({ parent }, totals) {
  for (let node = totals.length - 1; node >= 0; node--) {
    const above = parent[node] ?? -1;
    if (above >= 0) totals[above] = (totals[above] ?? 0) + (totals[node] ?? 0);
  }
  return totals;
}

/**
 * @param {{parent: Int32Array}} nodes
 * @param {(node: number) => boolean | undefined} isStart
 * @returns {Uint8Array} per node: 1 at such a node, and at all below it
 */
export function markBelow({ parent }, isStart) {
  const below = new Uint8Array(parent.length);
  for (let node = 0; node < below.length; node++)
    below[node] = below[parent[node] ?? -1] || isStart(node) ? 1 : 0;
  return below;
}

/**
 * @template {Int32Array | Float64Array} Column
 * @param {Column} column @param {readonly number[]} more
 * @returns {Column} a longer one
 */
export function append(column, more) {
  const Kind = /** @type {new (length: number) => Column} */ (column.constructor);
  const longer = new Kind(column.length + more.length);
  longer.set(column);
  longer.set(more, column.length);
  return longer;
}

/**
 * @param {Profile['rows']} rows
 * @param {Record<'node' | 'process' | 'thread' | 'segment' | 'weight' | 'route', number>[]} added
 * @returns {Profile['rows']} more rows
 */
export function appendRows(rows, added) {
  /** @template {Int32Array | Float64Array} Column @param {Column} column @param {(one: (typeof added)[number]) => number} of */
  const extend = (column, of) => append(column, added.map(of));
  return Object.freeze({
    node: extend(rows.node, one => one.node),
    process: extend(rows.process, one => one.process),
    thread: extend(rows.thread, one => one.thread),
    segment: extend(rows.segment, one => one.segment),
    weight: extend(rows.weight, one => one.weight),
    // Both are empty where the companion wrote none.
    route: rows.route.length > 0 ? extend(rows.route, one => one.route) : rows.route,
    halfSecond: rows.halfSecond.length > 0 ? extend(rows.halfSecond, () => -1) : rows.halfSecond,
  });
}

/**
 * Millions of rows, summed by two of their columns: a `Map` of sums for each row takes ten times as long.
 * @param {Int32Array} one @param {Int32Array} other @param {Float64Array} weight
 * @returns {{first: Int32Array, second: Int32Array, sums: number[]}} per pair, in the order of their first rows
 */
export function sumPairs(one, other, weight) {
  const table = new NodeTable();
  /** @type {number[]} */
  const sums = [];
  for (let row = 0; row < one.length; row++) {
    const pair = table.intern(one[row] ?? -1, other[row] ?? -1);
    sums[pair] = (sums[pair] ?? 0) + (weight[row] ?? 0);
  }
  const { parent, frame } = table.build();
  return { first: parent, second: frame, sums };
}

/**
 * The same profile without times and threads: one row for each stack of a process. Rows of the same stack follow each
 * other, so that a writer reads it once.
 * @param {Profile} profile
 * @returns {Profile}
 */
export function joinThreads(profile) {
  const { node, process, weight } = profile.rows;
  const { first, second, sums } = sumPairs(node, process, weight);
  const order = first.map((_, pair) => pair).sort((a, b) => (first[a] ?? 0) - (first[b] ?? 0));
  const none = new Int32Array(order.length).fill(-1);
  const joined = {
    node: order.map(pair => first[pair] ?? -1),
    process: order.map(pair => second[pair] ?? -1),
    weight: Float64Array.from(order, pair => sums[pair] ?? 0),
    ...{ thread: none, segment: none, route: none, halfSecond: new Float64Array() },
  };
  return Object.freeze({ ...profile, rows: joined, threads: [], segments: [], routes: [] });
}
