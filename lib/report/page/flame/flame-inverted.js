import { PURE_SHARE } from '../../../sample-table/categorize.js';

/** @import { SampleCounts, Samples } from '../../../sample-table/sample-table.d.ts' */
/** @import { FlameTree } from './flame-tree.js' */

/**
 * The same samples leaf first: the functions that samples end in, under each who called it. Only what
 * is looked at is built: whole, it can be much larger than the call tree.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @returns {FlameTree}
 */
export function makeInvertedTree({ table, tree, stacks }, counts) {
  const width = Math.max(1, table.categories.length);
  /**
   * Places in the call tree that a box stands for, with their samples by category: key is
   * node × categories + category.
   * @typedef {Map<number, number>} Places
   */
  /** @type {Places} */
  const ends = new Map();
  for (let stack = 0; stack < counts.stacks.length; stack++) {
    const count = counts.stacks[stack] ?? 0;
    if (count > 0)
      addPlace(ends, (stacks.node[stack] ?? 0) * width + (stacks.category[stack] ?? 0), count);
  }
  /** @type {{frame: number, parent: number, total: number, line: number, group: number, places: Places, children: number[] | null}[]} */
  const boxes = [
    {
      frame: -1,
      parent: -1,
      total: counts.total,
      line: 0,
      group: -1,
      places: ends,
      children: null,
    },
  ];
  /** @param {number} at */
  const expand = at => {
    const box = boxes[at];
    if (!box) return [];
    /** @type {Map<number, Places>} */
    const byFrame = new Map();
    for (const [key, count] of box.places) {
      const node = Math.floor(key / width);
      const frame = tree.frame[node] ?? -1;
      if (frame < 0) continue; // the outermost function has no caller
      let places = byFrame.get(frame);
      if (!places) {
        places = new Map();
        byFrame.set(frame, places);
      }
      addPlace(places, key, count);
    }
    const made = Array.from(byFrame, ([frame, found]) =>
      describeInverted(frame, at, found, tree, width),
    );
    made.sort((a, b) => b.total - a.total || a.frame - b.frame);
    box.places = new Map();
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

/**
 * @param {number} frame
 * @param {number} parent
 * @param {Map<number, number>} found places of this frame
 * @param {Samples['tree']} tree
 * @param {number} width
 */
function describeInverted(frame, parent, found, tree, width) {
  const byCategory = new Float64Array(width);
  /** @type {Map<number, number>} places of the callers */
  const places = new Map();
  let total = 0;
  let line = 0;
  let most = 0;
  for (const [key, count] of found) {
    const node = Math.floor(key / width);
    const category = key % width;
    total += count;
    byCategory[category] = (byCategory[category] ?? 0) + count;
    if (count > most) {
      most = count;
      line = tree.line[node] ?? 0;
    }
    addPlace(places, (tree.parent[node] ?? 0) * width + category, count);
  }
  return {
    frame,
    parent,
    total,
    line,
    group: byCategory.findIndex(count => count >= PURE_SHARE * total),
    places,
    /** @type {number[] | null} */
    children: null,
  };
}

/** @param {Map<number, number>} places @param {number} key @param {number} count */
function addPlace(places, key, count) {
  places.set(key, (places.get(key) ?? 0) + count);
}
