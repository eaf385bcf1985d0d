/** Where the boxes of a flamegraph are: only those that are wide enough to be seen. */

/** @import { FlameTree } from './flame-tree.js' */

/**
 * @typedef {object} FlameBox
 * @property {number} node
 * @property {number} row 0 is the root's
 * @property {number} x pixels
 * @property {number} width pixels
 * @property {boolean} above an ancestor of the box that is zoomed to: as wide as the picture
 */

/** Narrower boxes are left out, with all that is under them. */
const LEAST_PIXELS = 0.5;

/**
 * @param {FlameTree} tree
 * @param {number} focus node that fills the width
 * @param {number} width pixels
 * @returns {{boxes: FlameBox[], rows: FlameBox[][], byNode: Map<number, FlameBox>}}
 */
export function layOutBoxes(tree, focus, width) {
  /** @type {FlameBox[]} */
  const boxes = [];
  /** @type {FlameBox[][]} left to right */
  const rows = [];
  /** @type {Map<number, FlameBox>} */
  const byNode = new Map();
  /** @param {FlameBox} box */
  const add = box => {
    boxes.push(box);
    const row = rows[box.row];
    if (row) row.push(box);
    else rows[box.row] = [box];
    byNode.set(box.node, box);
  };
  const above = [];
  for (let node = tree.parent(focus); node >= 0; node = tree.parent(node)) above.unshift(node);
  for (const [row, node] of above.entries()) add({ node, row, x: 0, width, above: true });
  const scale = width / Math.max(tree.total(focus), Number.MIN_VALUE);
  const least = LEAST_PIXELS / scale;
  let level = [{ node: focus, row: above.length, x: 0, width, above: false }];
  // row by row, so that each row's list is in order
  while (level.length > 0) {
    /** @type {FlameBox[]} */
    const next = [];
    for (const box of level) {
      add(box);
      let x = box.x;
      const children = tree.children(box.node);
      for (let index = 0; index < children.length; index++) {
        const node = children[index] ?? 0;
        const total = tree.total(node);
        if (total >= least && total > 0)
          next.push({ node, row: box.row + 1, x, width: total * scale, above: false });
        x += total * scale;
      }
    }
    level = next;
  }
  return { boxes, rows, byNode };
}

/** The box at a place, or null. @param {FlameBox[][]} rows @param {number} row @param {number} x pixels */
export function boxAt(rows, row, x) {
  const boxes = rows[row] ?? [];
  let low = 0;
  let high = boxes.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((boxes[middle]?.x ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  const box = boxes[low];
  // a box thinner than a pixel can still be pointed at
  return box && x >= box.x && x < box.x + Math.max(1, box.width) ? box : null;
}
