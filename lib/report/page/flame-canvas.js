import { formatNumberOf } from '../../format.js';
import { plainLine } from '../plain-text.js';
import { visitWide } from './flame-layout.js';

/** @import { Flame } from '../../analysis/report.d.ts' */
/** @import { FlameLayout } from './flame-layout.js' */
/** @import { Paint } from './flame-colors.js' */

export const ROW_HEIGHT = 19;
const FONT = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/**
 * What of a flamegraph is shown.
 * @typedef {object} FlameView
 * @property {number} focus node that fills the width
 * @property {number} selected node with the keyboard's frame, or −1
 * @property {number} hovered node under the pointer, or −1
 * @property {boolean[] | null} matches of a search
 * @property {Set<number>} hidden categories that are switched off
 */

/** The last row that has a box wide enough to see. @param {Flame} flame @param {FlameLayout} layout @param {number} focus @param {number} width */
export function countRows(flame, layout, focus, width) {
  let rows = layout.depth[focus] ?? 0;
  const least = (flame.total[focus] ?? 0) / Math.max(1, width * 2);
  visitWide(flame, layout, focus, least, node => {
    rows = Math.max(rows, layout.depth[node] ?? 0);
  });
  return rows + 1;
}

/**
 * Draws the rows that are in sight.
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number, scrollTop: number}} size in CSS pixels
 * @param {Flame} flame
 * @param {FlameLayout} layout
 * @param {Paint[]} paints
 * @param {number[]} groups category of each node, −1 for none
 * @param {FlameView} view
 */
export function drawFlame(
  canvas,
  { width, height, scrollTop },
  flame,
  layout,
  paints,
  groups,
  view,
) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, -scrollTop * ratio);
  context.font = FONT;
  context.textBaseline = 'middle';
  const letter = context.measureText('m').width;
  const style = getComputedStyle(canvas);
  const colors = {
    off: style.getPropertyValue('--flame-off'),
    offText: style.getPropertyValue('--muted'),
    mark: style.getPropertyValue('--ink'),
  };
  const origin = layout.start[view.focus] ?? 0;
  const scale = width / Math.max(1, flame.total[view.focus] ?? 1);

  /** @param {number} node @param {boolean} above an ancestor of the focus, as wide as the picture */
  const box = (node, above) => {
    const y = (layout.depth[node] ?? 0) * ROW_HEIGHT;
    if (y + ROW_HEIGHT < scrollTop || y > scrollTop + height) return;
    const x = above ? 0 : ((layout.start[node] ?? 0) - origin) * scale;
    const wide = above ? width : (flame.total[node] ?? 0) * scale;
    const off = view.hidden.has(groups[node] ?? -1);
    const faint = above || (view.matches !== null && !view.matches[node]);
    const paint = paints[node] ?? { fill: '', text: '' };
    context.globalAlpha = faint ? 0.32 : 1;
    context.fillStyle = off ? colors.off : paint.fill;
    context.fillRect(x, y, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), ROW_HEIGHT - 1);
    context.globalAlpha = 1;
    const letters = Math.floor((wide - 8) / letter);
    if (letters >= 3) {
      context.fillStyle = off ? colors.offText : faint ? colors.mark : paint.text;
      context.fillText(shorten(nodeName(flame, node), letters), x + 4, y + ROW_HEIGHT / 2);
    }
    if (node === view.selected || node === view.hovered) {
      context.strokeStyle = colors.mark;
      context.lineWidth = node === view.selected ? 2 : 1;
      context.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), ROW_HEIGHT - 3);
    }
  };
  for (let node = flame.parent[view.focus] ?? -1; node >= 0; node = flame.parent[node] ?? -1)
    box(node, true);
  visitWide(flame, layout, view.focus, 0.5 / scale, node => box(node, false));
}

/** The function of a node; the root says what it holds. @param {Flame} flame @param {number} node */
export function nodeName(flame, node) {
  const frame = flame.frames[flame.frame[node] ?? -1];
  return frame
    ? plainLine(frame.function)
    : `all: ${formatNumberOf(flame.total[node] ?? 0, 'sample')}`;
}

/** @param {string} text @param {number} letters */
function shorten(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}
