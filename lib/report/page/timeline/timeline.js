import { formatDuration } from '../../../base/format.js';
import { redrawOnColors } from '../chart-kit.js';
import { compute } from '../compute/compute.js';
import { h, lede, section } from '../dom.js';
import { createStore } from '../state.js';
import { Brush } from './brush.js';
import { makeTrackView } from './track-view.js';
import { buildTracks, isWorthShowing } from './tracks.js';

/** @import { Computed, Model } from '../compute/compute.js' */
/** @import { makeSlowest } from '../slowest.js' */
/** @import { Store } from '../state.js' */
/** @import { TrackView } from './track-view.js' */
/** @import { Track } from './tracks.js' */

/** A selection that takes longer to compute is computed only when the drag ends, ms. */
const QUICK_MS = 40;

const HINT =
  'Drag over the timeline: every panel filters to that time. The URL keeps the selection, so it can be shared.';

/** Packed data does not decide whether a track is shown. */
const PACKED = { samples: null, waiting: null, latency: null, calls: null };

/**
 * Everything that was measured over time, on one axis, with a brush. Empty without such data.
 * @param {Model} model
 * @param {Store} store
 * @param {ReturnType<typeof makeSlowest>} slowest
 */
export function makeTimeline(model, store, slowest) {
  const element = h('div', {});
  /** how long the last selection took */
  const speed = { computeMs: 0 };
  /** @type {Model['report'] | null} */
  let seen = null;
  let drawnKey = '';
  /** @type {ReturnType<typeof makeTracks> | null} */
  let drawn = null;
  new ResizeObserver(() => drawn?.resize()).observe(element);
  redrawOnColors(() => drawn?.redraw());
  return {
    element,
    speed,
    /** @param {Computed} computed */
    show(computed) {
      const isNewer = model.report !== seen;
      if (isNewer) {
        seen = model.report;
        const whole = compute({ ...model, ...PACKED }, createStore({}).get());
        const isTimed = (model.edgesMs?.length ?? 0) > 1 && model.report.timeline;
        const tracks = isTimed ? buildTracks(model, whole).filter(isWorthShowing) : [];
        const names = tracks.map(({ id, series }) => [id, series.map(({ name }) => name)]);
        const key = JSON.stringify(names);
        if (key !== drawnKey) {
          drawn?.destroy();
          drawn = tracks.length > 0 ? makeTracks(model, tracks, { store, speed, slowest }) : null;
          element.replaceChildren(...(drawn ? [drawn.element] : []));
          drawn?.resize();
          drawnKey = key;
        }
        drawn?.mark();
      }
      drawn?.show(computed);
      if (isNewer) drawn?.readAgain();
    },
  };
}

/**
 * @param {Model} model
 * @param {Track[]} tracks
 * @param {{store: Store, speed: {computeMs: number}, slowest: ReturnType<typeof makeSlowest>}} context
 */
function makeTracks(model, tracks, { store, speed, slowest }) {
  const readEdges = () => model.edgesMs ?? [];
  const views = new Map(tracks.map(track => [track.id, makeTrackView(track, readEdges)]));
  let windows = { from: 0, to: model.windowCount };
  let width = 0;
  let frame = 0;
  const brush = new Brush({
    readEdges,
    onPick(picked, done) {
      cancelAnimationFrame(frame);
      if (done) store.set({ windows: picked });
      else if (speed.computeMs < QUICK_MS) {
        frame = requestAnimationFrame(() => store.set({ windows: picked }));
      }
    },
    onRead(window) {
      for (const view of views.values()) view.read(window, windows);
      return window === null ? '' : [...views.values()].map(view => view.say(window)).join('; ');
    },
  });
  const area = views.get(tracks[0]?.id ?? '')?.area;
  const shades = h('div', { class: 'shades', 'aria-hidden': 'true' });
  const axis = h('div', { class: 'time-axis', 'aria-hidden': 'true' });
  const rows = [...views.values()].map(({ element }) => element);
  const grid = h('div', { class: 'tracks' }, shades, rows, axis, brush.element);
  const onViews = (/** @type {(view: TrackView) => void} */ work) => [...views.values()].map(work);
  return {
    element: section('timeline', 'Timeline', lede(HINT), grid),
    readAgain: () => brush.readAgain(),
    redraw: () => onViews(view => view.redraw()),
    destroy: () => onViews(view => view.destroy()),
    resize() {
      if ((area?.clientWidth ?? 0) === width) return;
      width = area?.clientWidth ?? 0;
      onViews(view => view.draw(width));
    },
    /** Writes the marks on the time axis: phases, bursts of errors, times. */
    mark() {
      shades.replaceChildren(...shadePhases(model, readEdges()));
      axis.replaceChildren(...listTimes(readEdges()));
    },
    /** @param {Computed} next */
    show(next) {
      windows = next.windows;
      for (const track of buildTracks(model, next)) views.get(track.id)?.update(track);
      const { report } = model;
      const marks = slowest.marksOf(next.state.endpoints).map(({ request, button }) => {
        const { totalMs, bodyMs } = request.phases;
        const isWhole = report.timeline?.load?.latencyOf === 'total';
        button.style.left = `${partOf(readEdges(), request.startedAtMs) * 100}%`;
        return { element: button, value: isWhole ? totalMs : totalMs - (bodyMs ?? 0) };
      });
      views.get('latency')?.mark(marks);
      for (const view of views.values()) view.read(null, windows);
      brush.show(next.state.windows);
    },
  };
}

/** @param {Model} model @param {number[]} edgesMs */
function shadePhases({ report }, edgesMs) {
  const endMs = edgesMs.at(-1) ?? 0;
  const { phases = [], steered = [], errorBursts = [], tokens } = report.load ?? {};
  const percent = (/** @type {number} */ ms) => partOf(edgesMs, ms) * 100;
  /**
   * @param {HTMLElement} mark
   * @param {number} fromMs
   * @param {number} toMs
   */
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
    steered.map(own => placeMark(h('span', { class: 'turn' }, nameOf(own.text)), own.atMs, endMs)),
    tokens?.flippedAtMs
      ? placeMark(h('span', { class: 'flip' }, nameOf('401 from here')), tokens.flippedAtMs, endMs)
      : [],
  ].flat();
}

/** Where a moment is, as a part of the whole. @param {number[]} edgesMs @param {number} ms */
function partOf(edgesMs, ms) {
  const [startMs = 0, endMs = startMs] = [edgesMs[0], edgesMs.at(-1)];
  return (Math.min(endMs, Math.max(startMs, ms)) - startMs) / (endMs - startMs);
}

const TIME_STEPS_SEC = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];
const MOST_TICKS = 9;

/** @param {number[]} edgesMs */
function listTimes(edgesMs) {
  const lengthSec = ((edgesMs.at(-1) ?? 0) - (edgesMs[0] ?? 0)) / 1000;
  const step = TIME_STEPS_SEC.find(candidate => lengthSec / candidate <= MOST_TICKS) ?? 86400;
  return Array.from({ length: Math.ceil((lengthSec * 0.96) / step) }, (_, index) => {
    const label = h('span', { class: 'time' }, formatDuration(index * step * 1000));
    label.style.left = `${((index * step) / lengthSec) * 100}%`;
    return label;
  });
}
