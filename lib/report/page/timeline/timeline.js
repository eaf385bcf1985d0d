import { formatDuration } from '../../../format.js';
import { timeTicks } from '../chart-scale.js';
import { h, section } from '../dom.js';
import { forgetColors } from '../read-color.js';
import { makeBrush } from './brush.js';
import { makeHeatMap } from './heat-map.js';
import { makeTrackView } from './track-view.js';
import { buildTracks } from './tracks.js';

/** @import { Computed } from '../compute/compute.js' */
/** @import { Model } from '../compute/model.js' */
/** @import { Store } from '../state/store.js' */

/** Where a selection takes longer to compute, it is only computed when the drag ends, ms. */
const QUICK_MS = 40;

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
  const tracks = buildTracks(model, computed);
  if (!edgesMs || edgesMs.length < 2 || tracks.length === 0) return null;
  const heat = makeHeatMap(model, edgesMs);
  const views = new Map(
    tracks.map(track => [
      track.id,
      makeTrackView(track, edgesMs, track.id === 'latency' && heat ? heat.toggle : undefined),
    ]),
  );
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
  const latency = views.get('latency');
  if (heat && latency) latency.area.append(heat.canvas);
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
    heat?.draw(current, width);
  };
  /** @param {Computed} next */
  const show = next => {
    current = next;
    for (const track of buildTracks(model, next)) views.get(track.id)?.update(track);
    for (const view of views.values()) view.read(null, next.windows);
    brush.show(next.state.windows);
    heat?.draw(next, width);
  };
  new ResizeObserver(() => {
    if ((area?.clientWidth ?? 0) !== width) draw();
  }).observe(grid);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    forgetColors();
    for (const view of views.values()) view.redraw();
    heat?.draw(current, width);
  });
  const block = section('timeline', 'Over time', grid);
  show(computed);
  return { element: block, show };
}

/** @param {Model} model @param {number[]} edgesMs */
function shadePhases({ report }, edgesMs) {
  const startMs = edgesMs[0] ?? 0;
  const endMs = edgesMs.at(-1) ?? startMs;
  const { phases = [], errorBursts = [], tokens } = report.load ?? {};
  /** @param {number} ms */
  const percent = ms =>
    ((Math.min(endMs, Math.max(startMs, ms)) - startMs) / (endMs - startMs)) * 100;
  const shades = phases.map((phase, index) => {
    const from = percent(phase.startMs);
    const wide = percent(phase.endMs ?? endMs) - from;
    const shade = h(
      'span',
      { class: `shade shade-${index % 2}`, title: phase.planned },
      h('span', { class: 'shade-name' }, phase.name),
    );
    shade.style.left = `${from}%`;
    shade.style.width = `${wide}%`;
    return shade;
  });
  for (const burst of errorBursts) {
    if (burst.isSteady) continue;
    const mark = h('span', { class: 'burst-mark' });
    mark.style.left = `${percent(burst.startMs)}%`;
    mark.style.width = `${percent(burst.endMs) - percent(burst.startMs)}%`;
    shades.push(mark);
  }
  if (tokens?.flippedAtMs) {
    const flip = h('span', { class: 'flip' }, h('span', { class: 'shade-name' }, '401 from here'));
    flip.style.left = `${percent(tokens.flippedAtMs)}%`;
    shades.push(flip);
  }
  return shades;
}

/** @param {number[]} edgesMs */
function renderTimeAxis(edgesMs) {
  const lengthMs = (edgesMs.at(-1) ?? 0) - (edgesMs[0] ?? 0);
  const labels = timeTicks(lengthMs / 1000, 9)
    .filter(sec => sec * 1000 < lengthMs * 0.96)
    .map(sec => {
      const label = h('span', { class: 'time' }, formatDuration(sec * 1000));
      label.style.left = `${((sec * 1000) / lengthMs) * 100}%`;
      return label;
    });
  return h('div', { class: 'time-axis', 'aria-hidden': 'true' }, labels);
}
