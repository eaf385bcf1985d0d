import { readColor, roundUp } from '../chart-kit.js';
import { addWindows, maxWindows, meanWindows, secondsOf } from '../compute/sums.js';
import { h } from '../dom.js';
import { toPoints } from './tracks.js';

/** @import { Options, Series } from 'uplot' */
/** @import { Track, TrackSeries } from './tracks.js' */

/**
 * One track: name and readings on the left, curves on the right. uPlot draws the curves. The
 * words are text, so that they can be read aloud, printed and recoloured.
 * @param {Track} first
 * @param {() => number[]} readEdges of the windows, ms; a running run gets more of them
 */
export function makeTrackView(first, readEdges) {
  let track = first;
  /** @type {import('uplot') | null} */
  let plot = null;
  const { element, area, outputs, readings, high, middle, marked } = makeElements(first);
  const top = () => Math.max(roundUp(highestOf(track)), track.top ?? 0);

  return {
    element,
    area,
    /** @param {number} width px of the plot */
    draw(width) {
      if (width <= 0) return;
      const data = toPoints(track, readEdges());
      if (plot) {
        plot.setSize({ width, height: track.height });
        plot.setData(data);
        return;
      }
      plot = new uPlot(optionsOf(track, readEdges, width, top), data, area);
    },
    redraw: () => plot?.redraw(),
    destroy: () => plot?.destroy(),
    /** @param {Track} next */
    update(next) {
      track = next;
      high.textContent = track.format(top());
      middle.textContent = track.format(top() / 2);
      plot?.setData(toPoints(track, readEdges()));
    },
    /** Places elements by their values; those above the axis at its end. @param {{element: HTMLElement, value: number}[]} marks */
    mark(marks) {
      marked.replaceChildren(
        ...marks.map(({ element: mark, value }) => {
          mark.style.bottom = `${Math.min(1, value / top()) * 100}%`;
          return mark;
        }),
      );
    },
    /** @param {number | null} window one to read; null: the whole range @param {{from: number, to: number}} windows */
    read(window, windows) {
      const { series, summary, format } = track;
      /** @param {TrackSeries} one */
      const amountOf = ({ values, overall }) => {
        if (window !== null) return values[window] ?? null;
        if (summary === 'overall') return overall ?? null;
        return summary === 'max'
          ? maxWindows(values, windows)
          : meanWindows(values, secondsOf(readEdges()), windows);
      };
      for (const [index, one] of series.entries())
        outputs[index]?.replaceChildren(format(amountOf(one)));
      readings.dataset.summary = window === null ? summary : '';
    },
    /** The track's readings of one window, as text. @param {number} window */
    say: window =>
      `${track.title} ${track.series
        .filter(({ values }) => (values[window] ?? null) !== null)
        .map(({ name, values }) => `${name} ${track.format(values[window] ?? null)}`)
        .join(', ')}`,
  };
}

/** @typedef {ReturnType<typeof makeTrackView>} TrackView */

/** The words of a track, and the place of its curves. @param {Track} track */
function makeElements(track) {
  const outputs = track.series.map(() => h('output', { class: 'reading' }));
  const readings = h(
    'span',
    { class: `readings${track.series.length > 3 ? ' many' : ''}` },
    track.series.map(({ name, color }, index) => {
      const key = h('span', { class: 'key', 'aria-hidden': 'true' });
      key.style.backgroundColor = color.startsWith('--') ? `var(${color})` : color;
      const label = h('span', { class: 'reading-name', title: name }, name);
      return h('span', { class: 'reading-of' }, key, label, outputs[index]);
    }),
  );
  const high = h('span', { class: 'tick tick-high' });
  const middle = h('span', { class: 'tick tick-middle' });
  const marked = h('div', {});
  const area = h('div', { class: 'plot' }, marked);
  area.style.height = `${track.height}px`;
  const about = track.about && h('span', { class: 'track-about' }, track.about);
  const title = h('span', { class: 'track-title' }, h('b', {}, track.title), about);
  const head = h('div', { class: 'track-head' }, title, readings);
  const ticks = h('div', { class: 'ticks', 'aria-hidden': 'true' }, high, middle);
  const element = h('div', { class: 'track', 'data-track': track.id }, head, ticks, area);
  return { element, area, outputs, readings, high, middle, marked };
}

/** @param {Track} track */
function highestOf({ series, form }) {
  const length = series[0]?.values.length ?? 0;
  const lists = series.map(({ values }) => values);
  const drawn = form === 'stack' ? [addWindows(lists, length)] : lists;
  return Math.max(0, ...drawn.map(values => maxWindows(values, { from: 0, to: length }) ?? 0));
}

/**
 * @param {Track} track
 * @param {() => number[]} readEdges
 * @param {number} width
 * @param {() => number} top
 * @returns {Options}
 */
function optionsOf({ series, form, height }, readEdges, width, top) {
  const painted = form === 'stack' ? series.toReversed() : series;
  return {
    width,
    height,
    padding: [3, 0, 0, 0],
    pxAlign: false,
    cursor: { show: false },
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: false, range: () => [readEdges()[0] ?? 0, readEdges().at(-1) ?? 1] },
      y: { range: () => [0, top()] },
    },
    series: [{}, ...painted.map(one => seriesOf(one, form))],
  };
}

/** @param {TrackSeries} series @param {Track['form']} form @returns {Series} */
function seriesOf({ color, dash }, form) {
  const paint = () => readColor(color);
  /** @type {Series} */
  const options = {
    points: { show: false },
    width: form === 'stack' ? 0 : 1.5,
    stroke: paint,
    ...(dash?.length ? { dash } : {}),
  };
  if (form === 'stack' || form === 'bars') options.fill = paint;
  if (form === 'area') options.fill = () => `color-mix(in srgb, ${paint()} 18%, transparent)`;
  return options;
}
