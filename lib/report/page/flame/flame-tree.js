/** The samples of a selection as a tree that can be drawn, callers first. */

/**
 * A tree of boxes. Node 0 is the root. Widths are samples, or time.
 * @typedef {object} FlameTree
 * @property {(node: number) => number} total width of the box
 * @property {(node: number) => number} own width that ends in the function itself
 * @property {(node: number) => number} parent −1 for the root
 * @property {(node: number) => number} frame index into the frames; −1 for the root
 * @property {(node: number) => number} line 0 if unknown
 * @property {(node: number) => number} group index of the category that colours it, −1 for several
 * @property {(node: number) => Int32Array} children left to right
 */

/**
 * @typedef {object} ChildLists children of each node: `list` from `start[node]` to `start[node + 1]`
 * @property {Int32Array} start
 * @property {Int32Array} list
 */

/**
 * Children of every node, heaviest first. Called once, with the totals of the whole run: boxes then
 * keep their order in every selection, and the same code stays in the same place.
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

/** The frames on the way from the root to a node. @param {FlameTree} tree @param {number} node */
export function framePathOf(tree, node) {
  const path = [];
  for (let at = node; tree.parent(at) >= 0; at = tree.parent(at)) path.unshift(tree.frame(at));
  return path;
}

/**
 * The node with these frames on its way from the root, or the deepest one that matches.
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
