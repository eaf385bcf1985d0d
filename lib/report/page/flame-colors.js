import { safeColor } from './dom.js';

/** @import { Flame, CategoryShare } from '../../analysis/report.d.ts' */

/** @typedef {{fill: string, text: string}} Paint */

const SHADES = [-0.1, -0.05, 0, 0.05, 0.1];

/** What no category has most of. */
export const MIXED = '#9a958c';

/** Share of a node's samples that one category must have to give the node its colour. */
const PURE = 2 / 3;

/**
 * The category that gives each node its colour; −1 for the trunk, through which everything passes.
 * @param {Flame} flame
 * @returns {number[]}
 */
export function colorCategories({ parent, self, total, category }) {
  const width = category.reduce((most, group) => Math.max(most, group), 0) + 1;
  const counts = new Float64Array(parent.length * width);
  for (let node = parent.length - 1; node >= 0; node--) {
    const group = category[node] ?? -1;
    if (group >= 0)
      counts[node * width + group] = (counts[node * width + group] ?? 0) + (self[node] ?? 0);
    const above = parent[node] ?? -1;
    if (above < 0) continue;
    for (let index = 0; index < width; index++) {
      const at = above * width + index;
      counts[at] = (counts[at] ?? 0) + (counts[node * width + index] ?? 0);
    }
  }
  return category.map((group, node) => {
    const own = group < 0 ? 0 : (counts[node * width + group] ?? 0);
    return own >= PURE * (total[node] ?? 0) ? group : -1;
  });
}

/**
 * A paint for every node: its category's colour, a little lighter or darker by function so that
 * neighbours can be told apart.
 * @param {Flame} flame
 * @param {number[]} groups what `colorCategories` gave
 * @param {CategoryShare[]} categories
 * @returns {Paint[]}
 */
export function paintNodes(flame, groups, categories) {
  const { frames, frame } = flame;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const palettes = [...categories.map(({ color }) => safeColor(color)), MIXED].map(color =>
    SHADES.map(shade => makePaint(readColor(context, color), shade)),
  );
  const shades = frames.map(({ function: name, file }) => hashText(name + file) % SHADES.length);
  const neutral = palettes.length - 1;
  return frame.map((index, node) => {
    const group = groups[node] ?? -1;
    const palette = palettes[group >= 0 && group < neutral ? group : neutral] ?? [];
    return palette[index >= 0 ? (shades[index] ?? 2) : 2] ?? { fill: MIXED, text: '#000' };
  });
}

/** @param {CanvasRenderingContext2D | null} context @param {string} color @returns {number[]} */
function readColor(context, color) {
  if (!context) return [138, 138, 138];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/** @param {number[]} rgb @param {number} shade −1 black … 1 white @returns {Paint} */
function makePaint(rgb, shade) {
  const mixed = rgb.map(value =>
    Math.round(shade < 0 ? value * (1 + shade) : value + (255 - value) * shade),
  );
  // relative luminance, WCAG 2
  const [r = 0, g = 0, b = 0] = mixed.map(value => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return { fill: `rgb(${mixed.join(' ')})`, text: luminance > 0.179 ? '#111' : '#fff' };
}

/** @param {string} text */
function hashText(text) {
  let hash = 7;
  for (let index = 0; index < text.length; index++)
    hash = (hash * 31 + text.charCodeAt(index)) >>> 0;
  return hash;
}
