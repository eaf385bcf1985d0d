/** What uPlot does not draw by itself: bands of fits, whiskers, marks. All in CSS pixels of the plot. */
import { readColor } from '../chart-kit.js';

/** @import { Chart, ChartMark, ChartSeries } from './load-chart.js' */

/** More bands than these cover each other: they are paler then. */
const MANY_BANDS = 2;
/** The part of the height, from the top, at which a mark at the foot begins. */
const FOOT = 0.86;
/** Of the label of a line, with its distance, px. */
const LABEL_HEIGHT = 16;
const WHISKER = { width: 1.5 };
const GUIDE = { width: 1.5, dash: [5, 4] };

/** @param {import('uplot')} plot @param {Chart} chart */
export function drawMarks(plot, { series, marks = [], isStacked }) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.translate(bbox.left, bbox.top);
  ctx.scale(devicePixelRatio, devicePixelRatio);
  const bands = series.filter(({ curve = [] }) => curve.length > 1).length;
  for (const one of series) drawCurve(plot, one, bands > MANY_BANDS ? 0.06 : 0.14);
  if (!isStacked) for (const one of series) if (!one.isBare) drawPoints(plot, one);
  for (const mark of marks) drawMark(plot, mark);
  ctx.restore();
}

/** @param {import('uplot')} plot @param {number} x @param {number} y @returns {[number, number]} */
const placeOf = (plot, x, y) => [plot.valToPos(x, 'x'), plot.valToPos(y, 'y')];

/** @param {CanvasRenderingContext2D} ctx @param {{width: number, dash?: number[]}} look @param {...[number, number]} places */
function strokeLine(ctx, { width, dash = [] }, ...places) {
  ctx.beginPath();
  for (const place of places) ctx.lineTo(...place);
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** @param {import('uplot')} plot @param {ChartSeries} series @param {number} alpha of its band */
function drawCurve(plot, { color, dash = [], points, curve = [], width = 2 }, alpha) {
  if (curve.length < 2) return;
  const { ctx } = plot;
  ctx.fillStyle = readColor(color);
  ctx.strokeStyle = ctx.fillStyle;
  ctx.beginPath();
  for (const { x, high } of curve) ctx.lineTo(...placeOf(plot, x, high));
  for (const { x, low } of curve.toReversed()) ctx.lineTo(...placeOf(plot, x, low));
  ctx.closePath();
  ctx.globalAlpha = alpha;
  ctx.fill();
  ctx.globalAlpha = 1;
  // past what was measured it is thinner: the fit's word alone
  const measured = Math.max(...points.map(({ x }) => x));
  const places = curve.map(({ x, y }) => placeOf(plot, x, y));
  const beyond = curve.findIndex(({ x }) => x > measured);
  const split = beyond < 0 ? curve.length : beyond;
  const beyondLook = { width: width * 0.6, dash: [2, 4] };
  strokeLine(ctx, { width, dash }, ...places.slice(0, split));
  strokeLine(ctx, beyondLook, ...places.slice(Math.max(0, split - 1)));
}

/** @param {import('uplot')} plot @param {ChartSeries} series */
function drawPoints(plot, { color, points }) {
  const { ctx } = plot;
  ctx.strokeStyle = readColor(color);
  for (const { x, y, low = null, high = null, hollow } of points) {
    const [left, top] = placeOf(plot, x, y);
    if (low !== null && high !== null) {
      const [foot, head] = [plot.valToPos(low, 'y'), plot.valToPos(high, 'y')];
      for (const end of [foot, head]) strokeLine(ctx, WHISKER, [left - 4, end], [left + 4, end]);
      strokeLine(ctx, WHISKER, [left, foot], [left, head]);
    }
    ctx.beginPath();
    ctx.arc(left, top, 3.5, 0, 2 * Math.PI);
    ctx.fillStyle = readColor(hollow ? '--surface' : color);
    ctx.fill();
    ctx.stroke();
  }
}

/** @param {import('uplot')} plot @param {ChartMark} mark */
function drawMark(plot, { along, at, y = 0, color = '--ink', label = '' }) {
  const { ctx, over } = plot;
  ctx.strokeStyle = readColor(color);
  ctx.fillStyle = readColor(color);
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'bottom';
  ctx.textAlign = along === 'x' ? 'center' : 'left';
  const { clientWidth: width, clientHeight: height } = over;
  const [left, top] = placeOf(plot, at, along === 'y' ? at : y);
  if (along === 'point') {
    ctx.beginPath();
    ctx.arc(left, top, 8, 0, 2 * Math.PI);
    ctx.lineWidth = 1.5;
    ctx.stroke();
  } else if (along === 'x') {
    strokeLine(ctx, GUIDE, [left, height * FOOT], [left, height]);
    ctx.fillText(label, left, height * FOOT - 2);
  } else {
    strokeLine(ctx, GUIDE, [0, top], [width, top]);
    // at the upper edge there is no room above the line
    const isAtEdge = top < LABEL_HEIGHT;
    ctx.textBaseline = isAtEdge ? 'top' : 'bottom';
    ctx.fillText(label, 6, isAtEdge ? top + 4 : top - 3);
  }
}
