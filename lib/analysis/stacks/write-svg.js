/** A flamegraph as one SVG file that needs no script and that our own reader can read. */
import { entryOf } from '../../base/files/maps.js';
import { cutText } from '../../base/files/plain-text.js';
import { escapeXml } from '../../base/files/xml-text.js';
import { formatFrame, formatProcess } from './frame-text.js';
import { addUpwards } from './node-table.js';

/** @import { Profile } from './profile.d.ts' */

/** @typedef {{text: string, name: string, node: number, weight: number, children: Map<string, Box>}} Box */

const WIDTH = 1200;
const ROW_HEIGHT = 17;
const TOP = 46;
const CHAR_WIDTH = 6.6;
// Narrower boxes are invisible and would add many megabytes. inferno has the same limit.
const MIN_SHARE = 0.001;

/**
 * An icicle graph (root on top), widest boxes first, with a row for each process. Omits boxes below 0.1 % of all samples.
 * The title of a box has its samples and share.
 * @param {Profile} profile
 * @param {{title?: string, colorOf?: (node: number) => string | null}} [options]
 *   `colorOf` gives a CSS colour for a node of the profile, null for the default
 * @returns {string}
 */
export function renderSvg(profile, { title = 'CPU samples', colorOf = () => null } = {}) {
  const root = buildBoxes(profile);
  /** @type {string[]} */
  const parts = [];
  const depth = draw(root, { total: Math.max(root.weight, 1), colorOf, parts });
  const height = TOP + depth * ROW_HEIGHT + 12;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:fg="http://github.com/jonhoo/inferno" version="1.1" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    '<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1b}rect{stroke:#fff;stroke-width:.5}g:hover rect{stroke:#000;stroke-width:1}</style>',
    `<rect x="0" y="0" width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="20" style="font-size:15px;font-weight:bold">${escapeXml(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Boxes that are wide enough to draw: an hour's profile has a hundred times as many.
 * @param {Profile} profile
 * @returns {Box}
 */
function buildBoxes(profile) {
  const { nodes } = profile;
  const root = newBox('all', 'all', -1);
  root.weight = profile.totalWeight;
  /** @type {Map<number, Box>} */
  const processBoxes = new Map();
  /** @param {number} process @returns {Box} */
  const processBox = process =>
    entryOf(processBoxes, process, () => {
      const info = profile.processes[process];
      if (!info) return root;
      const outer = info.parent < 0 || info.parent >= process ? root : processBox(info.parent);
      return childBox(outer, formatProcess(info), `pid ${info.pid}`, -1);
    });
  for (const [process, { totals, weight }] of sumPerProcess(profile)) {
    const start = processBox(process);
    for (const box of new Set(outwards(profile, process).map(processBox)))
      if (box !== root) box.weight += weight;
    /** @type {Map<number, Box>} */
    const boxes = new Map();
    for (let node = 0; node < totals.length; node++) {
      const own = totals[node] ?? 0;
      if (own === 0 || own < profile.totalWeight * MIN_SHARE) continue;
      const frame = profile.frames[nodes.frame[node] ?? 0];
      const above = boxes.get(nodes.parent[node] ?? -1) ?? start;
      const box = childBox(above, frame ? formatFrame(frame) : '', frame?.name ?? '', node);
      box.weight += own;
      boxes.set(node, box);
    }
  }
  return root;
}

/**
 * Samples below each node, per process.
 * @param {Profile} profile
 * @returns {Map<number, {totals: Float64Array, weight: number}>}
 */
function sumPerProcess({ nodes, rows }) {
  /** @type {Map<number, {totals: Float64Array, weight: number}>} */
  const sums = new Map();
  const create = () => ({ totals: new Float64Array(nodes.frame.length), weight: 0 });
  for (let row = 0; row < rows.node.length; row++) {
    const sum = entryOf(sums, rows.process[row] ?? -1, create);
    const node = rows.node[row] ?? -1;
    const weight = rows.weight[row] ?? 0;
    sum.weight += weight;
    if (node >= 0) sum.totals[node] = (sum.totals[node] ?? 0) + weight;
  }
  for (const { totals } of sums.values()) addUpwards(nodes, totals);
  return sums;
}

/** A process and its ancestors. @param {Pick<Profile, 'processes'>} profile @param {number} process @returns {number[]} */
function outwards({ processes }, process) {
  const { parent = -1 } = processes[process] ?? {};
  return parent < 0 || parent >= process
    ? [process]
    : [process, ...outwards({ processes }, parent)];
}

/**
 * @param {string} text
 * @param {string} name
 * @param {number} node
 * @returns {Box}
 */
const newBox = (text, name, node) => ({ text, name, node, weight: 0, children: new Map() });

/**
 * @param {Box} parent
 * @param {string} text
 * @param {string} name
 * @param {number} node
 */
function childBox(parent, text, name, node) {
  return entryOf(parent.children, text, () => newBox(text, name, node));
}

/**
 * @param {Box} root
 * @param {{total: number, colorOf: (node: number) => string | null, parts: string[]}} options
 * @returns {number} levels drawn
 */
function draw(root, { total, colorOf, parts }) {
  let depth = 0;
  /** @type {{box: Box, x: number, level: number}[]} */
  const open = [{ box: root, x: 0, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { box, x, level } = next;
    depth = Math.max(depth, level + 1);
    parts.push(
      drawBox(box, x, level, total, (box.node < 0 ? null : colorOf(box.node)) ?? defaultColor(box)),
    );
    let childX = x;
    for (const child of [...box.children.values()].sort((a, b) => b.weight - a.weight)) {
      if (child.weight >= total * MIN_SHARE) open.push({ box: child, x: childX, level: level + 1 });
      childX += child.weight;
    }
  }
  return depth;
}

/**
 * @param {Box} box
 * @param {number} x
 * @param {number} level
 * @param {number} total
 * @param {string} color
 */
function drawBox({ text, name, weight }, x, level, total, color) {
  const [left, width] = [(x / total) * WIDTH, (weight / total) * WIDTH];
  const y = TOP + level * ROW_HEIGHT;
  const fits = Math.floor((width - 6) / CHAR_WIDTH);
  const shown = fits < 3 ? '' : cutText(name, fits);
  const samples = Math.round(weight);
  const percent = ((weight / total) * 100).toFixed(2);
  const caption = escapeXml(`${text} (${samples} samples, ${percent}%)`);
  const label =
    shown === ''
      ? ''
      : `<text x="${(left + 3).toFixed(2)}" y="${y + 12}">${escapeXml(shown)}</text>`;
  return `<g><title>${caption}</title><rect x="${left.toFixed(3)}" y="${y}" width="${width.toFixed(3)}" height="${ROW_HEIGHT - 1}" fill="${escapeXml(color)}" fg:x="${Math.round(x)}" fg:w="${samples}"/>${label}</g>`;
}

/** A warm colour, always the same for a name. @param {Box} box */
function defaultColor({ name, node }) {
  if (node < 0) return '#d8d8d8';
  let value = 7;
  for (let at = 0; at < name.length; at++) value = (value * 31 + name.charCodeAt(at)) % 997;
  return `hsl(${15 + (value % 35)} 80% ${68 + (value % 12)}%)`;
}
