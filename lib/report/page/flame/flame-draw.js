/** @import { FlameBox } from './flame-boxes.js' */
/** @import { Paint } from './flame-paint.js' */

const BOX_FONT =
  '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/**
 * How boxes look.
 * @typedef {object} BoxLook
 * @property {(node: number) => Paint} paint
 * @property {(node: number) => string} name
 * @property {(node: number) => boolean} faint not what is looked for
 * @property {number} selected node with the keyboard's frame, or −1
 * @property {number} hovered node under the pointer, or −1
 */

/**
 * Draws the rows that are in sight.
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number, scrollTop: number, rowHeight: number, ratio: number}} size
 *   in CSS pixels, and how many real ones each has
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
        context.fillText(shortenName(look.name(node), letters), x + 4, y + rowHeight / 2);
      }
      if (node === look.selected || node === look.hovered) {
        context.strokeStyle = mark;
        context.lineWidth = node === look.selected ? 2 : 1;
        context.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), rowHeight - 3);
      }
    }
  }
}

/** @param {string} text @param {number} letters */
function shortenName(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}
