/**
 * Where the boxes of a flamegraph are, in samples and rows; pixels are drawing's business.
 * @import { Flame } from '../../analysis/report.d.ts'
 */

/**
 * @typedef {object} FlameLayout
 * @property {Float64Array} start samples to the left of the node
 * @property {Uint16Array} depth row, 0 is the root
 * @property {number[][]} children of each node, heaviest first, which is also left to right
 */

/**
 * Children stand under their parent, heaviest on the left, so that the same code is at the same
 * place whenever it was sampled.
 * @param {Flame} flame
 * @returns {FlameLayout}
 */
export function layOutFlame({ parent, total }) {
  /** @type {number[][]} */
  const children = parent.map(() => []);
  for (const [node, above] of parent.entries()) if (above >= 0) children[above]?.push(node);
  const start = new Float64Array(parent.length);
  const depth = new Uint16Array(parent.length);
  for (const [node, below] of children.entries()) {
    below.sort((a, b) => (total[b] ?? 0) - (total[a] ?? 0));
    let at = start[node] ?? 0;
    for (const child of below) {
      start[child] = at;
      depth[child] = (depth[node] ?? 0) + 1;
      at += total[child] ?? 0;
    }
  }
  return { start, depth, children };
}

/**
 * Visits a node and what is under it, parents first, as far as boxes are wide enough to be seen.
 * @param {Flame} flame
 * @param {FlameLayout} layout
 * @param {number} focus
 * @param {number} least samples
 * @param {(node: number) => void} visit
 */
export function visitWide({ total }, { children }, focus, least, visit) {
  const stack = [focus];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node);
    for (const child of children[node] ?? []) {
      if ((total[child] ?? 0) < least) break; // the ones after it are narrower still
      stack.push(child);
    }
  }
}

/**
 * The node at a place, or −1.
 * @param {Flame} flame
 * @param {FlameLayout} layout
 * @param {number} focus the node that is zoomed to: rows above it hold its ancestors
 * @param {number} row
 * @param {number} sample
 */
export function nodeAt({ parent, total }, { start, depth, children }, focus, row, sample) {
  let node = focus;
  while (node >= 0 && (depth[node] ?? 0) > row) node = parent[node] ?? -1;
  while (node >= 0 && (depth[node] ?? 0) < row) {
    const below = children[node] ?? [];
    node =
      below.find(
        child =>
          sample >= (start[child] ?? 0) && sample < (start[child] ?? 0) + (total[child] ?? 0),
      ) ?? -1;
  }
  return node;
}

/**
 * Nodes whose function or file holds a text, and the share of samples that pass through any of them
 * (a match below a match is not counted twice).
 * @param {Flame} flame
 * @param {string} text
 */
export function searchFlame({ frames, frame, parent, total }, text) {
  const wanted = text.toLowerCase();
  const frameMatches = frames.map(({ function: name, file }) =>
    `${name} ${file}`.toLowerCase().includes(wanted),
  );
  const matches = frame.map(index => index >= 0 && frameMatches[index] === true);
  const covered = new Uint8Array(matches.length);
  let samples = 0;
  let count = 0;
  for (const [node, matched] of matches.entries()) {
    const above = parent[node] ?? -1;
    const inside = above >= 0 && covered[above] === 1;
    if (matched) count++;
    if (matched && !inside) samples += total[node] ?? 0;
    covered[node] = matched || inside ? 1 : 0;
  }
  return { matches, count, share: total[0] ? samples / total[0] : 0 };
}
