/**
 * Reads flamegraphs of py-spy and our own: inferno's current SVG (`fg:x`, `fg:w` in samples) and that of 2020 (`x`,
 * `width` in percent). A flamegraph omits narrow boxes; their samples count as their caller's own.
 */
import { LoadflameError } from '../../base/errors.js';
import { unescapeXml } from '../../base/files/xml-text.js';
import { ProfileBuilder } from './profile-builder.js';

/** @import { Profile } from './profile.d.ts' */

/** A box has some hundred characters of attributes; without a limit, the time grows with the square of their number. */
const BOX = /<title>([^<]*)<\/title>\s*<rect\b([^>]{0,2000})>/g;
const TITLE = /^(.*) \(([\d,]+) ([^\s,()]+), [\d.]+%(?<change>[;,] ?[-+]?[\d.]+%?)?\)$/s;
const ATTRIBUTE = /([\w:]+)="([^"]*)"/g;

/**
 * `isChange`: a differential flamegraph, whose samples are of the newer profile
 * @typedef {{text: string, weight: number, unit: string, isChange: boolean, x: number, width: number, y: number}} Box
 */

/**
 * @param {string} svg
 * @param {{file: string}} about for the error
 * @returns {Profile}
 * @throws {LoadflameError} PROFILE_BROKEN
 */
export function parseSvg(svg, { file }) {
  if (!/<\/svg>\s*$/.test(svg)) throw broken(file, 'it is cut off: its end (</svg>) is missing');
  const builder = new ProfileBuilder();
  const drawn = [...svg.matchAll(BOX)];
  const boxes = drawn.flatMap(([, title = '', attributes = '']) => {
    const box = readBox(title, attributes);
    if (!box) builder.skip(unescapeXml(title));
    return box ?? [];
  });
  const other = boxes.find(({ unit }) => !/^samples?$/.test(unit));
  if (other) throw broken(file, `it counts "${other.unit}", and no samples`);
  for (const root of buildTree(boxes, file)) {
    // inferno adds "all", whose samples are those of its children
    if (root.box.text === 'all') for (const child of root.children) addTree(builder, child);
    else addTree(builder, root);
    if (root.box.text === 'all') addOwn(builder, root, []);
  }
  const isDifference = boxes.some(({ isChange }) => isChange);
  return builder.build({ source: 'flamegraph-svg', entries: drawn.length, isDifference });
}

/** @param {string} title @param {string} attributes @returns {Box | null} null if it is no frame */
function readBox(title, attributes) {
  const match = TITLE.exec(unescapeXml(title));
  if (!match) return null;
  const found = Array.from(attributes.matchAll(ATTRIBUTE));
  const values = new Map(found.map(([, name, value]) => [name, value]));
  const number = (/** @type {string} */ name) => Number.parseFloat(values.get(name) ?? '');
  return {
    text: match[1] ?? '',
    weight: Number((match[2] ?? '').replaceAll(',', '')),
    unit: match[3] ?? '',
    isChange: match.groups?.change !== undefined,
    x: values.has('fg:x') ? number('fg:x') : number('x'),
    width: values.has('fg:w') ? number('fg:w') : number('width'),
    y: number('y'),
  };
}

/** @typedef {{box: Box, children: Tree[]}} Tree */

/**
 * Boxes at the same height form a level. The caller of a box is the box of the previous level at its middle. The widest
 * box shows whether the graph grows up or down.
 * @param {Box[]} boxes @param {string} file @returns {Tree[]} roots
 */
function buildTree(boxes, file) {
  if (boxes.length === 0) throw broken(file, 'it has no frames with a number of samples');
  for (const { text, x, width, y } of boxes)
    if (!Number.isFinite(x + width + y))
      throw broken(file, `the box of "${text.slice(0, 80)}" has no place`);
  const widest = boxes.reduce((a, b) =>
    b.width > a.width || (b.width === a.width && b.text === 'all') ? b : a,
  );
  const ys = [...new Set(boxes.map(({ y }) => y))].sort((a, b) => a - b);
  if (widest.y !== ys[0] && Math.max(...ys) - widest.y < widest.y - (ys[0] ?? 0)) ys.reverse();
  /** @type {Map<number, Tree[]>} */
  const levels = new Map(ys.map(y => [y, []]));
  for (const box of boxes) levels.get(box.y)?.push({ box, children: [] });
  /** @type {Tree[]} */
  let above = [];
  for (const [depth, y] of ys.entries()) {
    const level = (levels.get(y) ?? []).sort((a, b) => a.box.x - b.box.x);
    if (depth > 0) attach(level, above, file);
    above = level;
  }
  return levels.get(ys[0] ?? 0) ?? [];
}

/**
 * @param {Tree[]} level
 * @param {Tree[]} above both from left to right
 * @param {string} file
 */
function attach(level, above, file) {
  let at = 0;
  for (const tree of level) {
    const middle = tree.box.x + tree.box.width / 2;
    while (at < above.length && middle > (above[at]?.box.x ?? 0) + (above[at]?.box.width ?? 0))
      at++;
    const parent = above[at];
    if (!parent || middle < parent.box.x)
      throw broken(file, `"${tree.box.text.slice(0, 80)}" is on no frame`);
    parent.children.push(tree);
  }
}

/** @param {ProfileBuilder} builder @param {Tree} root */
function addTree(builder, root) {
  /** @type {{tree: Tree, path: string[]}[]} */
  const open = [{ tree: root, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const path = [...next.path, next.tree.box.text];
    addOwn(builder, next.tree, path);
    for (const tree of next.tree.children.toReversed()) open.push({ tree, path });
  }
}

/**
 * Samples that the children lack are the box's own.
 * @param {ProfileBuilder} builder
 * @param {Tree} tree
 * @param {string[]} path
 */
function addOwn(builder, { box, children }, path) {
  const own = children.reduce((rest, child) => rest - child.box.weight, box.weight);
  if (own > 0) builder.addTextStack(path, own);
}

/** @param {string} file @param {string} reason */
const broken = (file, reason) =>
  new LoadflameError('PROFILE_BROKEN', { file, format: 'a flamegraph (SVG)', reason });
