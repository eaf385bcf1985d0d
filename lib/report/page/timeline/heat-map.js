import { formatMs } from '../../../format.js';
import { valueOfBin } from '../../../math/sketch.js';
import { readColor } from '../chart-kit.js';
import { pickedInLoad } from '../compute/compute.js';
import { mergeWindows } from '../compute/count-endpoints.js';
import { h, makeButton } from '../dom.js';

/** @import { Sketch } from '../../../math/sketch.js' */
/** @import { Computed, Model } from '../compute/compute.js' */

const HEAT_HEIGHT = 84;
/** Rows of the picture: 84 px in cells of 3 px. */
const HEAT_ROWS = 28;

/**
 * The distribution of latency over time, in place of its percentiles: what two humps look like only
 * a heat map shows. The axis is logarithmic.
 * @param {Model} model
 * @param {number[]} edgesMs
 */
export function makeHeatMap(model, edgesMs) {
  if (!model.report.timeline?.load?.latency) return null;
  const canvas = h('canvas', {
    class: 'heat',
    hidden: true,
    role: 'img',
    'aria-label': 'Heat map of latency',
  });
  /** @type {{computed: Computed, width: number} | null} */
  let last = null;
  const paint = () => {
    if (canvas.hidden || !last || !model.latency) return;
    const merged = mergeWindows(model, pickedInLoad(model, last.computed.state));
    paintHeat(canvas, merged, edgesMs, last.width);
  };
  const toggle = makeButton(
    'heat map',
    () => {
      canvas.hidden = !canvas.hidden;
      toggle.setAttribute('aria-pressed', String(!canvas.hidden));
      canvas.parentElement?.classList.toggle('heated', !canvas.hidden);
      paint();
    },
    { class: 'tiny', 'aria-pressed': 'false' },
  );
  return {
    canvas,
    toggle,
    /** @param {Computed} computed @param {number} width */
    draw(computed, width) {
      last = { computed, width };
      paint();
    },
  };
}

/** @param {HTMLCanvasElement} canvas @param {Sketch[]} sketches per window @param {number[]} edgesMs @param {number} width */
function paintHeat(canvas, sketches, edgesMs, width) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEAT_HEIGHT * ratio);
  const context = canvas.getContext('2d');
  const known = sketches.filter(({ count }) => count > 0);
  if (!context || known.length === 0) return;
  context.scale(ratio, ratio);
  const low = Math.log(Math.max(0.05, Math.min(...known.map(({ min }) => min))));
  const high = Math.log(Math.max(...known.map(({ max }) => max))) + 0.02;
  const grids = sketches.map(sketch => {
    const cells = new Float64Array(HEAT_ROWS);
    for (const [key, count] of sketch.bins()) {
      const at = (Math.log(valueOfBin(key)) - low) / (high - low);
      const row = Math.min(HEAT_ROWS - 1, Math.max(0, Math.floor(at * HEAT_ROWS)));
      cells[row] = (cells[row] ?? 0) + count;
    }
    return cells;
  });
  const densities = grids.map((cells, index) =>
    cells.map(count => count / Math.max(1, (edgesMs[index + 1] ?? 0) - (edgesMs[index] ?? 0))),
  );
  const most = Math.max(...densities.map(cells => Math.max(...cells)));
  const startMs = edgesMs[0] ?? 0;
  const scale = width / ((edgesMs.at(-1) ?? 1) - startMs);
  const tall = HEAT_HEIGHT / HEAT_ROWS;
  context.fillStyle = readColor('--s-p99');
  for (const [index, cells] of densities.entries()) {
    const x = ((edgesMs[index] ?? 0) - startMs) * scale;
    const wide = ((edgesMs[index + 1] ?? 0) - (edgesMs[index] ?? 0)) * scale;
    for (const [row, density] of cells.entries()) {
      if (density === 0) continue;
      context.globalAlpha = 0.12 + 0.88 * Math.sqrt(density / most);
      context.fillRect(x, HEAT_HEIGHT - (row + 1) * tall, Math.max(1, wide - 0.5), tall - 0.5);
    }
  }
  context.globalAlpha = 1;
  context.font = '11px system-ui, sans-serif';
  for (const [fraction, side] of /** @type {const} */ ([
    [0, 'bottom'],
    [0.5, 'middle'],
    [1, 'top'],
  ])) {
    const text = formatMs(Math.exp(low + fraction * (high - low)));
    context.textBaseline = side;
    const y = HEAT_HEIGHT * (1 - fraction);
    context.lineWidth = 3;
    context.strokeStyle = readColor('--surface');
    context.strokeText(text, 4, y);
    context.fillStyle = readColor('--ink');
    context.fillText(text, 4, y);
  }
}
