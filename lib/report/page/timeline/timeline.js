import { formatDuration } from '../../../format.js';
import { redrawOnColors } from '../chart-kit.js';
import { h, lede, section } from '../dom.js';
import { makeBrush } from './brush.js';
import { makeTrackView } from './track-view.js';
import { buildTracks, isWorthShowing } from './tracks.js';

/** @import { Computed, Model } from '../compute/compute.js' */
/** @import { Store } from '../state.js' */

/** Where a selection takes longer to compute, it is only computed when the drag ends, ms. */
const QUICK_MS = 40;

const HINT =
  'Drag over the timeline: every panel filters to that time. The URL keeps the selection, so it can be shared.';

/**
 * Everything that was measured over time, on one axis, and the brush over it.
 * @param {Model} model
 * @param {Computed} computed of everything
 * @param {Store} store
 * @param {{computeMs: number}} speed how long the last selection took
 * @returns {{element: HTMLElement, show: (computed: Computed) => void} | null} null without a timeline
 */
export function makeTimeline(model, computed, store, speed) {
  const edgesMs = model.report.timeline?.edgesMs;
  const tracks = buildTracks(model, computed).filter(isWorthShowing);
  if (!edgesMs || edgesMs.length < 2 || tracks.length === 0) return null;
  const views = new Map(tracks.map(track => [track.id, makeTrackView(track, edgesMs)]));
  let current = computed;
  let width = 0;
  let frame = 0;
  const brush = makeBrush({
    edgesMs,
    onPick(windows, done) {
      cancelAnimationFrame(frame);
      if (done) store.set({ windows });
      else if (speed.computeMs < QUICK_MS) {
        frame = requestAnimationFrame(() => store.set({ windows }));
      }
    },
    onRead(window) {
      for (const view of views.values()) view.read(window, current.windows);
      return window === null ? '' : [...views.values()].map(view => view.say(window)).join('; ');
    },
  });
  const area = views.get(tracks[0]?.id ?? '')?.area;
  const grid = h(
    'div',
    { class: 'tracks' },
    h('div', { class: 'shades', 'aria-hidden': 'true' }, shadePhases(model, edgesMs)),
    [...views.values()].map(({ element }) => element),
    renderTimeAxis(edgesMs),
    brush.element,
  );
  const draw = () => {
    width = area?.clientWidth ?? 0;
    for (const view of views.values()) view.draw(width);
  };
  /** @param {Computed} next */
  const show = next => {
    current = next;
    for (const track of buildTracks(model, next)) views.get(track.id)?.update(track);
    for (const view of views.values()) view.read(null, next.windows);
    brush.show(next.state.windows);
  };
  new ResizeObserver(() => {
    if ((area?.clientWidth ?? 0) !== width) draw();
  }).observe(grid);
  redrawOnColors(() => {
    for (const view of views.values()) view.redraw();
  });
  show(computed);
  return { element: section('timeline', 'Timeline', lede(HINT), grid), show };
}

/** @param {Model} model @param {number[]} edgesMs */
function shadePhases({ report }, edgesMs) {
  const startMs = edgesMs[0] ?? 0;
  const endMs = edgesMs.at(-1) ?? startMs;
  const { phases = [], errorBursts = [], tokens } = report.load ?? {};
  /** @param {number} ms */
  const percent = ms =>
    ((Math.min(endMs, Math.max(startMs, ms)) - startMs) / (endMs - startMs)) * 100;
  /** @param {HTMLElement} mark @param {number} fromMs @param {number} toMs */
  const placeMark = (mark, fromMs, toMs) => {
    mark.style.left = `${percent(fromMs)}%`;
    mark.style.width = `${percent(toMs) - percent(fromMs)}%`;
    return mark;
  };
  const nameOf = (/** @type {string} */ name) => h('span', { class: 'shade-name' }, name);
  return [
    phases.map(({ name, text, startMs: fromMs, endMs: toMs }, index) =>
      placeMark(
        h('span', { class: `shade shade-${index % 2}`, title: text }, nameOf(name)),
        fromMs,
        toMs ?? endMs,
      ),
    ),
    errorBursts
      .filter(({ isSteady }) => !isSteady)
      .map(burst => placeMark(h('span', { class: 'burst-mark' }), burst.startMs, burst.endMs)),
    tokens?.flippedAtMs &&
      placeMark(h('span', { class: 'flip' }, nameOf('401 from here')), tokens.flippedAtMs, endMs),
  ];
}

const TIME_STEPS_SEC = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];
const MOST_TICKS = 9;

/** @param {number[]} edgesMs */
function renderTimeAxis(edgesMs) {
  const lengthSec = ((edgesMs.at(-1) ?? 0) - (edgesMs[0] ?? 0)) / 1000;
  const step = TIME_STEPS_SEC.find(candidate => lengthSec / candidate <= MOST_TICKS) ?? 86400;
  const axis = h('div', { class: 'time-axis', 'aria-hidden': 'true' });
  for (let sec = 0; sec < lengthSec * 0.96; sec += step) {
    const label = h('span', { class: 'time' }, formatDuration(sec * 1000));
    label.style.left = `${(sec / lengthSec) * 100}%`;
    axis.append(label);
  }
  return axis;
}
