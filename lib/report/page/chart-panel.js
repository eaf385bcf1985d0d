import { formatDuration } from '../../format.js';
import { linePath, roundUp, timeTicks } from './chart-scale.js';
import { h, svg } from './dom.js';

/** @import { LoadReport } from '../../analysis/report.d.ts' */

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} style class that gives it its colour
 * @property {(number | null)[]} values
 * @typedef {object} Panel
 * @property {string} title
 * @property {(value: number | null) => string} format
 * @property {'area' | 'line' | 'bars'} form
 * @property {Series[]} series
 */

export const PLOT_LEFT = 58;
export const PLOT_RIGHT = 10;
const PANEL_HEIGHT = 96;
const AXIS_HEIGHT = 22;

/**
 * One panel of the chart. While no moment is read, its legend says how high each line goes.
 * @param {Panel} panel
 * @param {boolean} first the one that names the phases
 * @param {boolean} last the one that has the axis of time
 */
export function renderPanel(panel, first, last) {
  const outputs = panel.series.map(() => h('span', { class: 'reading' }));
  const legend = panel.series.map(({ name, style }, index) =>
    h('span', { class: 'legend-item' }, h('span', { class: `key ${style}` }), name, outputs[index]),
  );
  const height = PANEL_HEIGHT + (last ? AXIS_HEIGHT : 0);
  const picture = svg('svg', { height, 'aria-hidden': 'true', focusable: 'false' });
  const cursor = svg('line', { class: 'cursor', y1: 0, y2: PANEL_HEIGHT, visibility: 'hidden' });
  const highest = panel.series.map(({ values }) =>
    values.reduce((/** @type {number} */ most, value) => Math.max(most, value ?? 0), 0),
  );
  const top = roundUp(Math.max(0, ...highest));
  /** @param {number} value */
  const yOf = value => PANEL_HEIGHT - (value / top) * (PANEL_HEIGHT - 14);

  return {
    element: h(
      'div',
      { class: 'panel' },
      h(
        'div',
        { class: 'panel-head' },
        h('span', { class: 'panel-title' }, panel.title),
        h('span', { class: 'legend' }, legend),
      ),
      picture,
    ),
    /** @param {number} width @param {(index: number) => number} xAt @param {(ms: number) => number} xOf @param {number} lengthMs @param {LoadReport} load */
    draw(width, xAt, xOf, lengthMs, load) {
      picture.setAttribute('width', String(width));
      picture.replaceChildren(...drawPhases(load, xOf, first), ...drawGrid(panel, top, yOf, width));
      for (const series of panel.series)
        picture.append(
          drawSeries(panel, series, xAt, yOf, (xOf(load.resolutionMs) - xOf(0)) * 0.7),
        );
      if (last) picture.append(...drawTimeAxis(xOf, lengthMs, width));
      picture.append(cursor);
    },
    /** @param {number} index @param {number} x */
    read(index, x) {
      cursor.setAttribute('visibility', index < 0 ? 'hidden' : 'visible');
      if (index >= 0) for (const end of ['x1', 'x2']) cursor.setAttribute(end, x.toFixed(1));
      for (const [n, { values }] of panel.series.entries()) {
        const output = outputs[n];
        if (output)
          output.textContent =
            index < 0
              ? `max ${panel.format(highest[n] ?? 0)}`
              : panel.format(values[index] ?? null);
      }
    },
    /** @param {number} index */
    text: index =>
      `${panel.title} ${panel.series.map(({ name, values }) => `${name} ${panel.format(values[index] ?? null)}`).join(', ')}`,
  };
}

/** @param {Panel} panel @param {number} top @param {(value: number) => number} yOf @param {number} width */
function drawGrid(panel, top, yOf, width) {
  return [0, top / 2, top].flatMap(value => [
    svg('line', {
      class: value === 0 ? 'base' : 'grid',
      x1: PLOT_LEFT,
      x2: width - PLOT_RIGHT,
      y1: yOf(value),
      y2: yOf(value),
    }),
    svg(
      'text',
      { class: 'axis', x: PLOT_LEFT - 8, y: yOf(value) + 4, 'text-anchor': 'end' },
      panel.format(value),
    ),
  ]);
}

/** @param {Panel} panel @param {Series} series @param {(index: number) => number} xAt @param {(value: number) => number} yOf @param {number} barWidth */
function drawSeries({ form }, { values, style }, xAt, yOf, barWidth) {
  const group = svg('g', { class: style });
  if (form === 'bars') {
    const size = Math.max(1.5, barWidth);
    for (const [index, value] of values.entries()) {
      if (value)
        group.append(
          svg('rect', {
            class: 'fill',
            x: xAt(index) - size / 2,
            y: yOf(value),
            width: size,
            height: PANEL_HEIGHT - yOf(value),
          }),
        );
    }
    return group;
  }
  const path = linePath(values, xAt, yOf);
  if (form === 'area' && path) {
    group.append(
      svg('path', {
        class: 'area',
        d: `${path}L${xAt(values.length - 1)} ${PANEL_HEIGHT}L${xAt(0)} ${PANEL_HEIGHT}Z`,
      }),
    );
  }
  group.append(svg('path', { class: 'line', d: path }));
  return group;
}

/** @param {LoadReport} load @param {(ms: number) => number} xOf @param {boolean} named @returns {SVGElement[]} */
function drawPhases({ phases, window, tokens }, xOf, named) {
  /** @type {SVGElement[]} */
  const shapes = phases.flatMap(({ name, startMs, endMs }, index) => {
    const from = xOf(startMs - window.startMs);
    const to = xOf((endMs ?? window.endMs) - window.startMs);
    const shade = svg('rect', {
      class: `phase phase-${index % 2}`,
      x: from,
      y: 0,
      width: Math.max(0, to - from),
      height: PANEL_HEIGHT,
    });
    const label =
      named && to - from > name.length * 6.5 + 8
        ? [svg('text', { class: 'phase-name', x: from + 4, y: 10 }, name)]
        : [];
    return [shade, ...label];
  });
  if (tokens?.flippedAtMs) {
    const x = xOf(tokens.flippedAtMs - window.startMs);
    shapes.push(svg('line', { class: 'flip', x1: x, x2: x, y1: 0, y2: PANEL_HEIGHT }));
    if (named) shapes.push(svg('text', { class: 'flip-name', x: x + 4, y: 22 }, '401 from here'));
  }
  return shapes;
}

/** @param {(ms: number) => number} xOf @param {number} lengthMs @param {number} width */
function drawTimeAxis(xOf, lengthMs, width) {
  return timeTicks(lengthMs / 1000, Math.max(2, width / 90)).map((second, index) =>
    svg(
      'text',
      {
        class: 'axis',
        x: xOf(second * 1000),
        y: PANEL_HEIGHT + 16,
        'text-anchor': index === 0 ? 'start' : 'middle',
      },
      formatDuration(second * 1000),
    ),
  );
}
