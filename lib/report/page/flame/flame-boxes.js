/** Lays out and draws the boxes of a flamegraph that are wide enough to see. */
import { cutText } from '../../../base/files/plain-text.js';

/** @import { FlameTree } from './flame-tree.js' */

/**
 * @typedef {object} FlameBox
 * @property {number} node
 * @property {number} row 0 is the root's
 * @property {number} x pixels
 * @property {number} width pixels
 * @property {boolean} above an ancestor of the zoomed box: as wide as the picture
 */

/** Narrower boxes are left out, with everything below them. */
const LEAST_PIXELS = 0.5;

/**
 * @param {FlameTree} tree
 * @param {number} focus node that fills the width
 * @param {number} width pixels
 * @returns {{rows: FlameBox[][], byNode: Map<number, FlameBox>}}
 */
export function layOutBoxes(tree, focus, width) {
  const above = [];
  for (let node = tree.parent(focus); node >= 0; node = tree.parent(node)) above.unshift(node);
  /** @type {FlameBox[][]} left to right */
  const rows = above.map((node, row) => [{ node, row, x: 0, width, above: true }]);
  const scale = width / Math.max(tree.total(focus), Number.MIN_VALUE);
  const least = LEAST_PIXELS / scale;
  let level = [{ node: focus, row: above.length, x: 0, width, above: false }];
  // row by row, so that each row's list is in order
  while (level.length > 0) {
    rows.push(level);
    /** @type {FlameBox[]} */
    const next = [];
    for (const { node: parent, row, x: left } of level) {
      let x = left;
      for (const node of Array.from(tree.children(parent))) {
        const total = tree.total(node);
        if (total >= least && total > 0)
          next.push({ node, row: row + 1, x, width: total * scale, above: false });
        x += total * scale;
      }
    }
    level = next;
  }
  return { rows, byNode: new Map(rows.flat().map(box => [box.node, box])) };
}

/**
 * The box at a place, or null.
 * @param {FlameBox[][]} rows
 * @param {number} row
 * @param {number} x pixels
 */
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

const BOX_FONT =
  '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/**
 * The appearance of boxes.
 * @typedef {object} BoxLook
 * @property {(node: number) => Paint} paint
 * @property {(node: number) => string} name
 * @property {(node: number) => boolean} faint not a match of the search
 * @property {number} selected node with the keyboard's frame, or −1
 * @property {number} hovered node under the pointer, or −1
 */

/**
 * Draws the visible rows.
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number, scrollTop: number, rowHeight: number, ratio: number}} size
 *   in CSS pixels; `ratio`: device pixels per CSS pixel
 * @param {FlameBox[][]} rows
 * @param {BoxLook} look
 */
export function drawBoxes(canvas, { width, height, scrollTop, rowHeight, ratio }, rows, look) {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, -scrollTop * ratio);
  context.font = BOX_FONT;
  context.textBaseline = 'middle';
  const letter = context.measureText('m').width;
  const mark = getComputedStyle(canvas).getPropertyValue('--ink');
  const last = Math.min(rows.length - 1, Math.floor((scrollTop + height) / rowHeight));
  for (let row = Math.max(0, Math.floor(scrollTop / rowHeight)); row <= last; row++) {
    const y = row * rowHeight;
    for (const { node, x, width: wide, above } of rows[row] ?? []) {
      const faint = above || look.faint(node);
      const paint = look.paint(node);
      context.globalAlpha = faint ? 0.32 : 1;
      context.fillStyle = paint.fill;
      context.fillRect(x, y, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), rowHeight - 1);
      context.globalAlpha = 1;
      const letters = Math.floor((wide - 8) / letter);
      if (letters >= 3) {
        context.fillStyle = faint ? mark : paint.text;
        context.fillText(cutText(look.name(node), letters), x + 4, y + rowHeight / 2);
      }
      if (node === look.selected || node === look.hovered) {
        context.strokeStyle = mark;
        context.lineWidth = node === look.selected ? 2 : 1;
        context.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), rowHeight - 3);
      }
    }
  }
}

/** @typedef {{fill: string, text: string}} Paint */

const SHADES_OF_FRAMES = [-0.1, -0.05, 0, 0.05, 0.1];

/** Colour of a box in which no category has nearly all samples: sand, which no category uses. */
export const MIXED_COLOR = '#c4bbaa';

/**
 * Gives a paint for a frame of a category: the category's colour, a little lighter or darker by
 * function, to distinguish neighbours.
 * @param {{function: string, file: string}[]} frames
 * @param {string[]} colors of the categories
 * @returns {(frame: number, group: number) => Paint}
 */
export function makePainter(frames, colors) {
  const palettes = [...colors, MIXED_COLOR].map(color =>
    SHADES_OF_FRAMES.map(shade => paintOf(readCssColor(color), shade)),
  );
  const shades = frames.map(
    ({ function: name, file }) => hashOf(name + file) % SHADES_OF_FRAMES.length,
  );
  const fallback = { fill: MIXED_COLOR, text: '#111' };
  return (frame, group) =>
    (palettes[group] ?? palettes[colors.length])?.[shades[frame] ?? 2] ?? fallback;
}

/** @param {string} color @returns {number[]} red, green, blue */
function readCssColor(color) {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return [138, 138, 138];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/**
 * A colour, and black or white for the text on it.
 * @param {number[]} rgb
 * @param {number} shade −1 black … 1 white
 * @returns {Paint}
 */
export function paintOf(rgb, shade) {
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
function hashOf(text) {
  let hash = 7;
  for (let index = 0; index < text.length; index++)
    hash = (hash * 31 + text.charCodeAt(index)) >>> 0;
  return hash;
}
