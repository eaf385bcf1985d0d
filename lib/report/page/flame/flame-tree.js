/** The samples of a selection as trees that can be drawn: callers first, or leaves first. */
import { PURE_SHARE } from '../../../sample-table/categorize.js';

/** @import { SampleCounts, Samples } from '../../../facts/sample-table.d.ts' */

/**
 * A tree of boxes. Node 0 is the root. Widths are samples, or time.
 * @typedef {object} FlameTree
 * @property {(node: number) => number} total width of the box
 * @property {(node: number) => number | null} own what ends in the function itself; null where that
 *   says nothing
 * @property {(node: number) => number} parent −1 for the root
 * @property {(node: number) => number} frame index into the frames; −1 for the root
 * @property {(node: number) => number} line 0 where it is not known
 * @property {(node: number) => number} group index of the category that colours it, −1 for several
 * @property {(node: number) => ArrayLike<number>} children left to right
 */

/**
 * @typedef {object} ChildLists children of each node: `list` from `start[node]` to `start[node + 1]`
 * @property {Int32Array} start
 * @property {Int32Array} list
 */

/**
 * Children of every node, heaviest first. It is asked once, with the totals of everything: boxes then
 * keep their order whatever is selected, and the same code is found at the same place.
 * @param {Int32Array} parent
 * @param {ArrayLike<number>} totals
 * @returns {ChildLists}
 */
export function listChildren(parent, totals) {
  const start = new Int32Array(parent.length + 1);
  for (let node = 1; node < parent.length; node++) {
    const at = (parent[node] ?? 0) + 1;
    start[at] = (start[at] ?? 0) + 1;
  }
  for (let node = 0; node < parent.length; node++)
    start[node + 1] = (start[node + 1] ?? 0) + (start[node] ?? 0);
  const next = start.slice();
  const list = new Int32Array(Math.max(0, parent.length - 1));
  for (let node = 1; node < parent.length; node++) {
    const above = parent[node] ?? 0;
    const at = next[above] ?? 0;
    list[at] = node;
    next[above] = at + 1;
  }
  for (let node = 0; node < parent.length; node++) {
    const own = list.subarray(start[node], start[node + 1]);
    if (own.length > 1) own.sort((a, b) => (totals[b] ?? 0) - (totals[a] ?? 0) || a - b);
  }
  return { start, list };
}

/** @typedef {ArrayLike<number>} Numbers per node */

/**
 * @param {{tree: {parent: Numbers, frame: Numbers, line: Numbers}}} samples
 * @param {ChildLists} children
 * @param {Numbers} groups of `categorizeNodes`
 * @param {{totals: Numbers, self: Numbers}} counts
 * @returns {FlameTree}
 */
export function makeCallTree({ tree }, { start, list }, groups, { totals, self }) {
  return {
    total: node => totals[node] ?? 0,
    own: node => self[node] ?? 0,
    parent: node => tree.parent[node] ?? -1,
    frame: node => tree.frame[node] ?? -1,
    line: node => tree.line[node] ?? 0,
    group: node => groups[node] ?? -1,
    children: node => list.subarray(start[node], start[node + 1]),
  };
}

/**
 * Places in the call tree that a box stands for, with their samples by category: the key is
 * node × categories + category.
 * @typedef {Map<number, number>} Places
 */

/** What the root has. */
const NO_FRAME = { frame: -1, parent: -1, line: 0, group: -1 };

/**
 * The same samples leaf first: the functions that samples end in, under each who called it. Only what
 * is looked at is built: whole, it can be much larger than the call tree.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @returns {FlameTree}
 */
export function makeInvertedTree({ table, tree, stacks }, counts) {
  const width = Math.max(1, table.categories.length);
  /** @type {Places} */
  const ends = new Map();
  for (const [stack, count] of counts.stacks.entries())
    if (count > 0)
      addPlace(ends, (stacks.node[stack] ?? 0) * width + (stacks.category[stack] ?? 0), count);
  /** @type {{frame: number, parent: number, total: number, line: number, group: number, places: Places, children: number[] | null}[]} */
  const boxes = [{ ...NO_FRAME, total: counts.total, places: ends, children: null }];
  /** @param {number} parent */
  const expand = parent => {
    const places = boxes[parent]?.places ?? new Map();
    const byFrame = Map.groupBy(places, ([key]) => tree.frame[Math.floor(key / width)] ?? -1);
    byFrame.delete(-1); // the outermost function has no caller
    const made = Array.from(byFrame, ([frame, found]) => ({
      frame,
      parent,
      children: null,
      ...describeInverted(found, tree, width),
    }));
    made.sort((a, b) => b.total - a.total || a.frame - b.frame);
    places.clear();
    return made.map(child => boxes.push(child) - 1);
  };
  return {
    total: node => boxes[node]?.total ?? 0,
    own: () => null,
    parent: node => boxes[node]?.parent ?? -1,
    frame: node => boxes[node]?.frame ?? -1,
    line: node => boxes[node]?.line ?? 0,
    group: node => boxes[node]?.group ?? -1,
    children(node) {
      const box = boxes[node];
      if (!box) return [];
      box.children ??= expand(node);
      return box.children;
    },
  };
}

/** @param {[key: number, count: number][]} found places of one frame @param {Samples['tree']} tree @param {number} width */
function describeInverted(found, tree, width) {
  const byCategory = new Float64Array(width);
  /** @type {Places} of the callers */
  const places = new Map();
  let [total, line, most] = [0, 0, 0];
  for (const [key, count] of found) {
    const node = Math.floor(key / width);
    const category = key % width;
    total += count;
    byCategory[category] = (byCategory[category] ?? 0) + count;
    if (count > most) [most, line] = [count, tree.line[node] ?? 0];
    addPlace(places, (tree.parent[node] ?? 0) * width + category, count);
  }
  const group = byCategory.findIndex(count => count >= PURE_SHARE * total);
  return { total, line, group, places };
}

/** @param {Places} places @param {number} key @param {number} count */
function addPlace(places, key, count) {
  places.set(key, (places.get(key) ?? 0) + count);
}

/** The frames on the way from the root to a node. @param {FlameTree} tree @param {number} node */
export function framePathOf(tree, node) {
  const path = [];
  for (let at = node; tree.parent(at) >= 0; at = tree.parent(at)) path.unshift(tree.frame(at));
  return path;
}

/**
 * The node with these frames on its way from the root, or as far down as there is something.
 * @param {FlameTree} tree
 * @param {number[]} path
 */
export function findByPath(tree, path) {
  let node = 0;
  for (const frame of path) {
    const below = Array.from(tree.children(node)).find(
      child => tree.frame(child) === frame && tree.total(child) > 0,
    );
    if (below === undefined) return node;
    node = below;
  }
  return node;
}
