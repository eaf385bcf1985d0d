import { formatClock, formatCount, formatDuration, formatMs, formatRate } from '../../format.js';
import { PLOT_LEFT, PLOT_RIGHT, renderPanel } from './chart-panel.js';
import { h } from './dom.js';

/** @import { LoadReport } from '../../analysis/report.d.ts' */
/** @import { Panel } from './chart-panel.js' */

const CHART_HINT = 'Point at the chart, or focus it and use the arrow keys, to read one moment.';

/**
 * Load over time: panels one above the other with one axis of time, because curves of different
 * units in one panel suggest relations that are not there.
 * @param {LoadReport} load
 */
export function renderChart(load) {
  const { seconds, window } = load;
  const panels = makePanels(load);
  const lengthMs = Math.max(load.resolutionMs, window.endMs - window.startMs);
  const hint = h('p', { class: 'chart-hint muted' }, CHART_HINT);
  const spoken = h('div', { class: 'sr-only', 'aria-live': 'polite' });
  const figure = h('div', {
    class: 'chart',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Load over time. Arrow keys read one moment after the other.',
  });
  const views = panels.map((panel, index) =>
    renderPanel(panel, index === 0, index === panels.length - 1),
  );
  figure.append(...views.map(({ element }) => element));
  let width = 0;
  let current = -1;

  /** @param {number} ms from the window's start */
  const xOf = ms =>
    PLOT_LEFT + (Math.min(Math.max(ms, 0), lengthMs) / lengthMs) * (width - PLOT_LEFT - PLOT_RIGHT);
  /** @param {number} index the middle of its entry */
  const xAt = index => xOf((seconds[index]?.startMs ?? 0) - window.startMs + load.resolutionMs / 2);

  const draw = () => {
    for (const view of views) view.draw(width, xAt, xOf, lengthMs, load);
    select(current);
  };

  /** @param {number} index −1 for none */
  const select = index => {
    current = index;
    const entry = seconds[index];
    for (const view of views) view.read(entry ? index : -1, xAt(index));
    const moment =
      entry &&
      `${formatDuration(entry.startMs - window.startMs)} after the start (${formatClock(entry.startMs)} UTC)`;
    hint.textContent = moment ?? CHART_HINT;
    spoken.textContent = moment
      ? `${moment}: ${views.map(view => view.text(index)).join('; ')}`
      : '';
  };

  new ResizeObserver(() => {
    if (figure.clientWidth === width) return;
    width = figure.clientWidth;
    draw();
  }).observe(figure);
  figure.addEventListener('pointermove', event => {
    const at = event.clientX - figure.getBoundingClientRect().left;
    const part = (at - PLOT_LEFT) / (width - PLOT_LEFT - PLOT_RIGHT);
    const ms = window.startMs + part * lengthMs;
    const index = Math.floor((ms - (seconds[0]?.startMs ?? 0)) / load.resolutionMs);
    select(Math.min(seconds.length - 1, Math.max(0, index)));
  });
  figure.addEventListener('pointerleave', () => select(-1));
  figure.addEventListener('blur', () => select(-1));
  figure.addEventListener('keydown', event => {
    const page = Math.max(1, Math.round(seconds.length / 10));
    const steps = {
      ArrowRight: 1,
      ArrowLeft: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    select(Math.min(seconds.length - 1, Math.max(0, current + step)));
  });
  return h('div', { class: 'chart-block' }, figure, hint, spoken);
}

/** @param {LoadReport} load @returns {Panel[]} */
function makePanels({ seconds }) {
  /** @type {Panel[]} */
  const panels = [
    {
      title: 'Requests per second',
      form: 'area',
      format: formatRate,
      series: [
        { name: 'requests', style: 's-requests', values: seconds.map(({ requests }) => requests) },
      ],
    },
    {
      title: 'Time to first byte',
      form: 'line',
      format: formatMs,
      series: [
        { name: 'p99', style: 's-p99', values: seconds.map(({ p99Ms }) => p99Ms) },
        { name: 'p95', style: 's-p95', values: seconds.map(({ p95Ms }) => p95Ms) },
        { name: 'p50', style: 's-p50', values: seconds.map(({ p50Ms }) => p50Ms) },
      ],
    },
  ];
  if (seconds.some(({ errors }) => errors > 0)) {
    panels.push({
      title: 'Failed requests per second',
      form: 'bars',
      format: formatRate,
      series: [{ name: 'failed', style: 's-errors', values: seconds.map(({ errors }) => errors) }],
    });
  }
  if (seconds.some(({ usersActive }) => usersActive !== null)) {
    panels.push({
      title: 'Users at work',
      form: 'line',
      format: formatCount,
      series: [
        { name: 'users', style: 's-users', values: seconds.map(({ usersActive }) => usersActive) },
      ],
    });
  }
  return panels;
}
