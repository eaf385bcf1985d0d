/** A uPlot chart described as data: lines, points with whiskers, marks and readings. */
import { formatCount } from '../../../base/format.js';
import { readColor, redrawOnColors, roundUp } from '../chart-kit.js';
import { h } from '../dom.js';
import { lineKey } from './variants.js';

/** @import { Options } from 'uplot' */
/** @import { VariantPicks } from './variants.js' */

/**
 * @typedef {object} ChartPoint
 * @property {number} x
 * @property {number} y
 * @property {number | null} [low] interval, drawn as a whisker
 * @property {number | null} [high]
 * @property {string} text its reading
 * @property {boolean} [hollow] a doubtful one
 * @typedef {object} ChartSeries
 * @property {string} name
 * @property {string} color a custom property
 * @property {number[]} dash
 * @property {ChartPoint[]} points
 * @typedef {object} ChartMark a line at a height, or a ring at an x
 * @property {number} y
 * @property {number} [x] of a ring
 * @property {string} [color]
 * @property {string} [label] of a line
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} about what is drawn, for screen readers
 * @property {string} xLabel
 * @property {string} yLabel
 * @property {StepScale} x
 * @property {{isLog: boolean, low: number, high: number}} [y] absent: from 0 to the highest point
 * @property {(value: number) => string} sayX as text for a sentence, unlike its tick
 * @property {(value: number | null) => string} formatY
 * @property {ChartSeries[]} series
 * @property {ChartMark[]} [marks]
 */

/** @typedef {{isLog: boolean, low: number, high: number, ticks: number[]}} StepScale */

const HEIGHT = 300;
const FONT = '11px system-ui, sans-serif';

/**
 * @param {() => Chart} describe the chart to draw now
 * @param {Pick<VariantPicks, 'subscribe'>} picks: the chart is redrawn when they change
 */
export function makeChart(describe, picks) {
  const area = h('div', { class: 'chart-area', role: 'img' });
  const title = h('figcaption', {});
  const reading = h('p', { class: 'chart-reading' });
  const element = h('figure', { class: 'chart' }, title, area, reading);
  area.style.height = `${HEIGHT}px`;
  /** @type {import('uplot') | null} */
  let plot = null;
  let width = 0;
  const show = () => {
    const chart = describe();
    title.textContent = chart.title;
    area.setAttribute('aria-label', chart.about);
    const data = toAligned(chart);
    const last = data[0].at(-1) ?? null;
    const tell = (/** @type {number | null} */ x) =>
      reading.replaceChildren(...readAt(chart, x ?? last));
    tell(null);
    if (width <= 0) return;
    plot?.destroy();
    plot = new uPlot(optionsOf(chart, width, tell), data, area);
  };
  new ResizeObserver(() => {
    if (area.clientWidth === width) return;
    width = area.clientWidth;
    show();
  }).observe(area);
  redrawOnColors(show);
  picks.subscribe(show);
  return element;
}

/** All x of all series; a series has null at an x without a point. @param {Chart} chart @returns {import('uplot').AlignedData} */
function toAligned({ series }) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  xs.sort((a, b) => a - b);
  const columns = series.map(({ points }) => {
    const byX = new Map(points.map(({ x, y }) => [x, y]));
    return xs.map(x => byX.get(x) ?? null);
  });
  return [xs, ...columns];
}

/**
 * @param {Chart} chart
 * @param {number} width
 * @param {(x: number | null) => void} tell receives the x under the cursor
 * @returns {Options}
 */
function optionsOf(chart, width, tell) {
  const { x, y = scaleTo(chart.series), series } = chart;
  const axis = {
    stroke: () => readColor('--muted'),
    font: FONT,
    labelFont: FONT,
    labelSize: 18,
    filter: (/** @type {unknown} */ _, /** @type {number[]} */ splits) => splits,
  };
  const grid = { stroke: () => readColor('--line'), width: 1 };
  const top = y.isLog ? y.high : roundUp(y.high);
  return {
    width,
    height: HEIGHT,
    padding: [14, 14, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: {
      x: { time: false, range: () => [x.low, x.high], ...(x.isLog && { distr: 3, log: 2 }) },
      y: { range: () => [y.isLog ? y.low : 0, top], ...(y.isLog && { distr: 3 }) },
    },
    axes: [
      {
        ...axis,
        label: chart.xLabel,
        size: 26,
        grid: { show: false },
        ticks: grid,
        splits: () => thinOut(x, width),
        values: (_, splits) => splits.map(formatCount),
      },
      {
        ...axis,
        label: chart.yLabel,
        size: 62,
        grid,
        ticks: { show: false },
        ...(y.isLog && { splits: () => decades(y) }),
        values: (_, splits) => splits.map(chart.formatY),
      },
    ],
    series: [
      {},
      ...series.map(({ color, dash }) => ({
        stroke: () => readColor(color),
        width: 2,
        dash,
        points: { show: false },
        spanGaps: true,
      })),
    ],
    hooks: {
      draw: [self => drawMarks(self, chart)],
      setCursor: [({ cursor, data }) => tell(data[0][cursor.idx ?? -1] ?? null)],
    },
  };
}

/** The axis ends at twice a value: a longer whisker may be cut off. @param {ChartSeries[]} series */
function scaleTo(series) {
  const highs = series.flatMap(({ points }) =>
    points.map(({ y, high }) => Math.min(high ?? y, 2 * y)),
  );
  return { isLog: false, low: 0, high: Math.max(1e-9, ...highs) };
}

/** Steps as ticks, each at least 34 px from the one before. @param {StepScale} scale @param {number} width */
function thinOut({ ticks, low, high, isLog }, width) {
  const place = (/** @type {number} */ value) =>
    isLog
      ? (Math.log(value / low) / Math.log(high / low)) * (width - 90)
      : ((value - low) / (high - low)) * (width - 90);
  let last = Number.NEGATIVE_INFINITY;
  return ticks.filter(tick => {
    if (place(tick) - last < 34) return false;
    last = place(tick);
    return true;
  });
}

/** @param {{low: number, high: number}} scale */
function decades({ low, high }) {
  const steps = high / low <= 1000 ? [1, 2, 5] : [1];
  const values = [];
  for (let power = low; power <= high * 1.001; power *= 10)
    values.push(...steps.map(step => step * power).filter(value => value <= high * 1.001));
  return values;
}

/** The readings at an x as text; without a cursor, at the last x. @param {Chart} chart @param {number | null} x */
function readAt({ series, sayX }, x) {
  if (x === null) return [];
  const items = series.flatMap(({ name, color, dash, points }) => {
    const point = points.find(own => own.x === x);
    if (!point) return [];
    const value = h('b', {}, point.text);
    return h('span', { class: 'read' }, lineKey({ color, dash }), `${name} `, value);
  });
  return items.length > 0 ? [h('span', { class: 'read-at' }, `At ${sayX(x)}`), ...items] : [];
}

/**
 * Logarithmic (base 2) if steps grow by factors, so that they are evenly spaced; its ticks are the steps.
 * @param {number[]} values in any order
 * @returns {StepScale}
 */
export function scaleOfSteps(values) {
  const steps = [...new Set(values)].sort((a, b) => a - b);
  const low = steps[0] ?? 0;
  const high = steps.at(-1) ?? 1;
  const isLog = low > 0 && steps.length > 2 && high / low >= 8;
  if (!isLog) return { isLog, low: 0, high: high * 1.06, ticks: steps };
  const edge = (high / low) ** 0.04;
  return { isLog, low: low / edge, high: high * edge, ticks: steps };
}

/**
 * Latency needs a logarithmic axis if its values differ by more than a factor of twenty.
 * @param {number[]} values
 * @returns {{isLog: boolean, low: number, high: number}}
 */
export function scaleOfTimes(values) {
  const known = values.filter(value => value > 0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0) return { isLog: false, low: 0, high: 1 };
  if (high / low <= 20) return { isLog: false, low: 0, high };
  const [least, most] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  return { isLog: true, low: 10 ** least, high: 10 ** most };
}

/** Height of a line's label with its distance, px. */
const LABEL_HEIGHT = 16;

/** Draws what uPlot does not draw by itself, in CSS pixels of the plot. @param {import('uplot')} plot @param {Chart} chart */
function drawMarks(plot, { series, marks = [] }) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.translate(bbox.left, bbox.top);
  ctx.scale(devicePixelRatio, devicePixelRatio);
  ctx.lineWidth = 1.5;
  ctx.setLineDash([]);
  for (const one of series) drawPoints(plot, one);
  for (const mark of marks) drawMark(plot, mark);
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} ctx @param {...[number, number]} places */
function strokeLine(ctx, ...places) {
  ctx.beginPath();
  for (const place of places) ctx.lineTo(...place);
  ctx.stroke();
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} left
 * @param {number} top
 * @param {number} radius
 */
function strokeCircle(ctx, left, top, radius) {
  ctx.beginPath();
  ctx.arc(left, top, radius, 0, 2 * Math.PI);
  ctx.stroke();
}

/** @param {import('uplot')} plot @param {ChartSeries} series */
function drawPoints(plot, { color, points }) {
  const { ctx } = plot;
  ctx.strokeStyle = readColor(color);
  for (const { x, y, low = null, high = null, hollow } of points) {
    const [left, top] = [plot.valToPos(x, 'x'), plot.valToPos(y, 'y')];
    if (low !== null && high !== null) {
      const [foot, head] = [plot.valToPos(low, 'y'), plot.valToPos(high, 'y')];
      for (const end of [foot, head]) strokeLine(ctx, [left - 4, end], [left + 4, end]);
      strokeLine(ctx, [left, foot], [left, head]);
    }
    ctx.fillStyle = readColor(hollow ? '--surface' : color);
    strokeCircle(ctx, left, top, 3.5);
    ctx.fill();
  }
}

/** @param {import('uplot')} plot @param {ChartMark} mark */
function drawMark(plot, { x, y, color = '--ink', label = '' }) {
  const { ctx, over } = plot;
  ctx.strokeStyle = readColor(color);
  const top = plot.valToPos(y, 'y');
  if (x !== undefined) {
    strokeCircle(ctx, plot.valToPos(x, 'x'), top, 8);
    return;
  }
  ctx.setLineDash([5, 4]);
  strokeLine(ctx, [0, top], [over.clientWidth, top]);
  ctx.setLineDash([]);
  ctx.font = FONT;
  ctx.textAlign = 'left';
  ctx.fillStyle = ctx.strokeStyle;
  // no room above a line at the upper edge
  const isAtEdge = top < LABEL_HEIGHT;
  ctx.textBaseline = isAtEdge ? 'top' : 'bottom';
  ctx.fillText(label, 6, isAtEdge ? top + 4 : top - 3);
}
