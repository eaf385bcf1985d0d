/** The tracks of the timeline as plain data, from a model and the selection without its time. */
import {
  formatBytes,
  formatCores,
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
} from '../../../base/format.js';
import { mean } from '../../../base/math/summary.js';
import { pickedInLoad } from '../compute/compute.js';
import { mergeWindows } from '../compute/count-endpoints.js';
import { addWindows, secondsOf } from '../compute/sums.js';

/** @import { SampleCounts } from '../../../run/facts/sample-table.d.ts' */
/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */
/** @import { Computed, Model } from '../compute/compute.js' */

/**
 * @typedef {object} TrackSeries
 * @property {string} name
 * @property {string} color a custom property (`--s-p50`) or a CSS colour
 * @property {(number | null)[]} values per window
 * @property {number | null} [overall] of the whole selection, if that is not the mean of its windows
 * @property {number[]} [dash]
 * @typedef {object} Track
 * @property {string} id
 * @property {string} title
 * @property {string} [about]
 * @property {'area' | 'line' | 'bars' | 'stack'} form
 * @property {'mean' | 'max' | 'overall'} summary what is shown for a range of windows
 * @property {number} height px
 * @property {(value: number | null) => string} format
 * @property {number} [top] least upper end of the axis
 * @property {TrackSeries[]} series of a stack: its layers from the bottom, not yet added up
 */

/**
 * @param {Model} model
 * @param {Computed} computed
 * @returns {Track[]}
 */
export function buildTracks(model, computed) {
  const { timeline } = model.report;
  if (!timeline || !model.edgesMs) return [];
  const lengths = secondsOf(timeline.edgesMs);
  return [
    ...loadTracks(model, computed, timeline, lengths),
    ...stackCategories(model, computed, timeline, lengths),
    ...machineTracks(model, timeline, lengths),
  ];
}

/** Whether a track has anything to show; one that is still being unpacked has. @param {Track} track */
export function isWorthShowing({ id, series }) {
  if (['requests', 'latency', 'categories'].includes(id)) return true;
  const least = id === 'errors' ? 1e-9 : 0;
  return series.some(({ values }) => values.some(value => value !== null && value >= least));
}

/** Height of a small track, px. */
const LOW = 34;

/** By id. @satisfies {Record<string, [title: string, color: string, form: Track['form'], summary: Track['summary'], height: number, format: Track['format']]>} */
const LOOKS = {
  requests: ['Requests', '--s-requests', 'area', 'mean', 48, formatRate],
  latency: ['Latency', '', 'line', 'max', 84, formatMs],
  errors: ['Failed requests', '--s-errors', 'bars', 'mean', LOW, formatRate],
  users: ['Virtual users', '--s-users', 'line', 'mean', LOW, formatCount],
  collected: ['Garbage collection', '--s-memory', 'bars', 'mean', LOW, formatMs],
  categories: ['CPU by category', '', 'stack', 'mean', 84, formatCores],
  workers: ['CPU per worker', '', 'line', 'mean', 44, formatCores],
  memory: ['Memory', '--s-memory', 'line', 'max', LOW, formatBytes],
  machine: ['Machine', '--s-users', 'area', 'mean', LOW, formatCores],
  generator: ['Load generator', '--s-users', 'area', 'max', LOW, formatPercent],
};

/**
 * @param {keyof typeof LOOKS} id
 * @param {string} about
 * @param {(Omit<TrackSeries, 'color'> & {color?: string})[]} series
 * @param {Partial<Track>} [more]
 * @returns {Track}
 */
function makeTrack(id, about, series, more) {
  const [title, color, form, summary, height, format] = LOOKS[id];
  const colored = series.map(one => ({ color, ...one }));
  return { id, title, about, form, summary, height, format, series: colored, ...more };
}

/**
 * @param {Model} model
 * @param {Computed} computed
 * @param {Timeline} timeline
 * @param {number[]} lengths s
 * @returns {Track[]}
 */
function loadTracks(model, { state, times: overall }, { load }, lengths) {
  if (!load) return [];
  const picked = pickedInLoad(model, state);
  const chosen = picked?.flatMap(index => load.endpoints[index] ?? []);
  const perSecond = (/** @type {number[][]} */ lists) =>
    addWindows(lists, lengths.length).map((count, window) =>
      count === null || !lengths[window] ? null : count / lengths[window],
    );
  /** @param {'requests' | 'errors'} what */
  const ratesOf = what => perSecond(chosen?.map(own => own[what]) ?? [load[what]]);
  const times = picked ? timesOfEndpoints(model, picked) : load;
  const latency = /** @type {const} */ ([
    ['p99', 'p99Ms', [2, 3]],
    ['p95', 'p95Ms', [7, 3]],
    ['p50', 'p50Ms', []],
  ]);
  const series = latency.map(([name, key, dash]) => {
    const values = { values: times[key], overall: overall?.[key] ?? null };
    return { name, color: `--s-${name}`, dash: [...dash], ...values };
  });
  const about = load.latencyOf === 'total' ? 'total time' : 'time to first byte';
  const [requests, errors] = [ratesOf('requests'), ratesOf('errors')];
  const shown = chosen ?? load.endpoints;
  const collected = shown.flatMap(own => (own.collectedMs ? [own.collectedMs] : []));
  return [
    makeTrack('requests', 'per second', [{ name: 'sent', values: requests }]),
    makeTrack('latency', about, series, { summary: overall ? 'overall' : 'max' }),
    makeTrack('errors', 'per second', [{ name: 'failed', values: errors }]),
    makeTrack('users', 'at once', [{ name: 'users', values: load.usersActive }], { top: 2 }),
    makeTrack('collected', 'CPU per second', [{ name: 'workers', values: perSecond(collected) }]),
  ];
}

/** @param {Model} model @param {number[]} picked */
function timesOfEndpoints(model, picked) {
  const merged = mergeWindows(model, picked);
  const at = (/** @type {number} */ quantile) => merged.map(sketch => sketch.quantile(quantile));
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/**
 * @param {Model} model
 * @param {Timeline} timeline
 * @param {number[]} lengths s
 * @returns {Track[]}
 */
function machineTracks(model, timeline, lengths) {
  const { workers, hostCores, generator } = timeline;
  const cpus = model.report.run.host?.cpus;
  const sizes = workers.map(({ rssBytes }) => rssBytes);
  const memory = [{ name: 'workers', values: addWindows(sizes, lengths.length) }];
  const used = cpus ? `cores in use, of ${formatCount(cpus)}` : 'cores in use';
  const busy = [{ name: 'busy', values: generator?.utilization ?? [] }];
  const all = [{ name: 'all processes', values: hostCores ?? [] }];
  return [
    makeTrack('workers', 'cores', workerSeries(model, timeline, lengths), { top: 1 }),
    makeTrack('memory', 'of all workers, resident', memory),
    makeTrack('machine', used, all, { top: cpus ?? 1 }),
    makeTrack('generator', 'busiest thread', busy, { top: 1 }),
  ];
}

const MAX_LAYERS = 8;

/**
 * CPU by category, stacked. Process CPU time gives the height, samples divide it. Without process
 * CPU time the unit is samples per second.
 * @param {Model} model
 * @param {Computed} computed
 * @param {Timeline} timeline
 * @param {number[]} lengths s
 * @returns {Track[]} none without a profile; with empty series while samples are unpacked
 */
function stackCategories({ report }, { base, counts, state }, timeline, lengths) {
  const table = report.profile?.table;
  if (!table || table.totalSamples === 0 || !table.edgesMs) return [];
  const workers = timeline.workers.filter(({ pid }) => state.workers?.includes(pid) ?? true);
  const times = workers.map(({ cpuMs }) => cpuMs);
  const cpuMs = addWindows(times, lengths.length);
  const hasCpu = cpuMs.some(ms => ms !== null);
  const countOf = (/** @type {SampleCounts | null} */ of, /** @type {number} */ at) =>
    of?.categoryWindows[at] ?? 0;
  const all = lengths.map((_, window) =>
    table.categories.reduce((sum, __, at) => sum + countOf(base, at * lengths.length + window), 0),
  );
  const layers = table.categories.map((_, category) =>
    lengths.map((length, window) => {
      const count = countOf(counts, category * lengths.length + window);
      const total = all[window];
      if (!total) return null;
      if (!hasCpu) return count / length;
      const ms = cpuMs[window] ?? null;
      return ms === null ? null : ((count / total) * ms) / 1000 / length;
    }),
  );
  const format = (/** @type {number | null} */ value) => `${formatCount(value)}/s`;
  const series = foldSmall(layers, table.categories);
  return hasCpu
    ? [makeTrack('categories', 'cores', series)]
    : [makeTrack('categories', 'samples per second', series, { format })];
}

/**
 * The first categories each, the others as one layer. The table is sorted by size.
 * @param {(number | null)[][]} layers
 * @param {{label: string, color: string}[]} categories
 */
function foldSmall(layers, categories) {
  const kept = categories.length > MAX_LAYERS ? MAX_LAYERS - 1 : categories.length;
  const series = categories
    .slice(0, kept)
    .map(({ label, color }, index) => ({ name: label, color, values: layers[index] ?? [] }));
  if (kept < categories.length) {
    const values = addWindows(layers.slice(kept), layers[0]?.length ?? 0);
    series.push({ name: 'others', color: '#a3a3a3', values });
  }
  return series;
}

const WORKER_COLORS = ['--s-one', '--s-two', '--s-three', '--s-four'];
/** @type {number[][]} dashes distinguish workers when colours run out */
const WORKER_DASHES = [[], [6, 3]];
/** More lines than this are unreadable. */
const MOST_LINES = 6;

/**
 * CPU of each worker, in cores. If there are many: only the busiest, the mean and the idlest.
 * @param {Model} model
 * @param {Timeline} timeline
 * @param {number[]} lengths of its windows, s
 * @returns {TrackSeries[]}
 */
export function workerSeries({ report }, { workers }, lengths) {
  const names = new Map(report.cpu?.workers?.map(({ pid, name }) => [pid, name]));
  const lines = workers
    .map(({ pid, cpuMs }) => ({
      name: names.get(pid) ?? String(pid),
      values: cpuMs.map((ms, window) => (ms === null ? null : ms / 1000 / (lengths[window] || 1))),
    }))
    .filter(({ values }) => values.some(value => value !== null));
  if (lines.length <= MOST_LINES) {
    return lines.map((line, index) => ({
      ...line,
      color: WORKER_COLORS[index % WORKER_COLORS.length] ?? '',
      dash: WORKER_DASHES[Math.floor(index / WORKER_COLORS.length)] ?? [],
    }));
  }
  const known = lengths.map((_, window) => lines.flatMap(({ values }) => values[window] ?? []));
  /** @param {(values: number[]) => number} of */
  const over = of => known.map(values => (values.length > 0 ? of(values) : null));
  const [busiest, idlest] = [over(values => Math.max(...values)), over(v => Math.min(...v))];
  return [
    { name: 'busiest', color: '--s-two', values: busiest },
    { name: `mean of ${lines.length}`, color: '--s-one', values: over(mean) },
    { name: 'idlest', color: '--s-three', values: idlest, dash: [6, 3] },
  ];
}

/**
 * Two points per window, so that its value lasts from its start to its end, also before a gap, where
 * a step has no next point to last to.
 * @param {Pick<Track, 'series' | 'form'>} track
 * @param {number[]} edgesMs of its windows, which touch
 * @returns {import('uplot').AlignedData} null if unknown
 */
export function toPoints({ series, form }, edgesMs) {
  const lists = series.map(({ values }) => values);
  const lengths = secondsOf(edgesMs);
  // upper layers first, so that lower ones cover them
  const drawn =
    form === 'stack'
      ? lists.map((_, index) => addWindows(lists.slice(0, lists.length - index), lengths.length))
      : lists;
  return [
    edgesMs.flatMap(edge => [edge, edge]).slice(1, -1),
    ...drawn.map(values =>
      lengths.flatMap((_, window) => [values[window] ?? null, values[window] ?? null]),
    ),
  ];
}
