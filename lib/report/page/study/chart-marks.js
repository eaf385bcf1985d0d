/** What uPlot does not draw by itself: bands of fits, whiskers, marks. */
import { readColor } from '../read-color.js';

/** @import { Chart, ChartMark, ChartSeries } from './load-chart.js' */

/** More bands than these cover each other: they are paler then. */
const MANY_BANDS = 2;

/** @param {import('uplot')} plot @param {Chart} chart */
export function drawMarks(plot, { series, marks, isStacked }) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const bands = series.filter(({ curve = [] }) => curve.length > 1).length;
  for (const one of series) drawCurve(plot, one, bands > MANY_BANDS ? 0.06 : 0.14);
  if (!isStacked) for (const one of series) if (!one.isBare) drawPoints(plot, one);
  for (const mark of marks) drawMark(plot, mark);
  ctx.restore();
}

/** @param {import('uplot')} plot @param {number} x @param {number} y @returns {[number, number]} px of the canvas */
function placeOf(plot, x, y) {
  return [plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)];
}

/** @param {import('uplot')} plot @param {ChartSeries} series @param {number} alpha of its band */
function drawCurve(plot, { color, dash, points, curve = [], width = 2 }, alpha) {
  if (curve.length < 2) return;
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const ink = readColor(color);
  ctx.beginPath();
  for (const { x, high } of curve) ctx.lineTo(...placeOf(plot, x, high));
  for (const { x, low } of curve.toReversed()) ctx.lineTo(...placeOf(plot, x, low));
  ctx.closePath();
  ctx.globalAlpha = alpha;
  ctx.fillStyle = ink;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = width * ratio;
  ctx.strokeStyle = ink;
  // Past what was measured it is thinner: the fit's word alone.
  const measured = Math.max(...points.map(({ x }) => x));
  const beyond = curve.findIndex(({ x }) => x > measured);
  const split = beyond < 0 ? curve.length : beyond;
  for (const [part, style, share] of /** @type {const} */ ([
    [curve.slice(0, split), dash, 1],
    [curve.slice(Math.max(0, split - 1)), [2, 4], 0.6],
  ])) {
    ctx.beginPath();
    for (const { x, y } of part) ctx.lineTo(...placeOf(plot, x, y));
    ctx.setLineDash(style.map(length => length * ratio));
    ctx.lineWidth = width * ratio * share;
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

/** @param {import('uplot')} plot @param {ChartSeries} series */
function drawPoints(plot, { color, points }) {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const ink = readColor(color);
  ctx.strokeStyle = ink;
  ctx.lineWidth = 1.5 * ratio;
  for (const { x, y, low = null, high = null, hollow } of points) {
    const [left, top] = placeOf(plot, x, y);
    if (low !== null && high !== null) {
      const ends = [low, high].map(value => plot.valToPos(value, 'y', true));
      ctx.beginPath();
      for (const end of ends) {
        ctx.moveTo(left - 4 * ratio, end);
        ctx.lineTo(left + 4 * ratio, end);
      }
      ctx.moveTo(left, ends[0] ?? 0);
      ctx.lineTo(left, ends[1] ?? 0);
      ctx.stroke();
    }
    ctx.beginPath();
    ctx.arc(left, top, 3.5 * ratio, 0, 2 * Math.PI);
    ctx.fillStyle = hollow ? readColor('--surface') : ink;
    ctx.fill();
    ctx.stroke();
  }
}

/** @param {import('uplot')} plot @param {ChartMark} mark */
function drawMark(plot, { along, at, y = 0, color = '--ink', label }) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.strokeStyle = readColor(color);
  ctx.fillStyle = readColor(color);
  ctx.lineWidth = 1.5 * ratio;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  if (along === 'point') {
    const [left, top] = placeOf(plot, at, y);
    ctx.beginPath();
    ctx.arc(left, top, 8 * ratio, 0, 2 * Math.PI);
    ctx.stroke();
    return;
  }
  const place = plot.valToPos(at, along, true);
  const isOutside =
    along === 'x'
      ? place < bbox.left || place > bbox.left + bbox.width
      : place < bbox.top || place > bbox.top + bbox.height;
  if (isOutside) return;
  ctx.setLineDash([5 * ratio, 4 * ratio]);
  ctx.beginPath();
  if (along === 'x') {
    ctx.moveTo(place, bbox.top + bbox.height * 0.86);
    ctx.lineTo(place, bbox.top + bbox.height);
  } else {
    ctx.moveTo(bbox.left, place);
    ctx.lineTo(bbox.left + bbox.width, place);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  if (!label) return;
  ctx.textBaseline = 'bottom';
  ctx.textAlign = along === 'x' ? 'center' : 'left';
  if (along === 'x') ctx.fillText(label, place, bbox.top + bbox.height * 0.86 - 2 * ratio);
  else ctx.fillText(label, bbox.left + 6 * ratio, place - 3 * ratio);
}
