/** What the tracks of the timeline show: plain data from a model and what was picked, without time. */
import {
  formatBytes,
  formatCores,
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
} from '../../../format.js';
import { pickedInLoad } from '../compute/compute.js';
import { mergeWindows } from '../compute/count-endpoints.js';
import { addWindows, secondsOf } from '../compute/sums.js';
import { stackCategories, workerSeries } from './cpu-tracks.js';

/** @import { Timeline } from '../../../facts/timeline.d.ts' */
/** @import { Computed, Model } from '../compute/compute.js' */

/**
 * @typedef {object} TrackSeries
 * @property {string} name
 * @property {string} color a custom property (`--s-p50`) or a CSS colour
 * @property {(number | null)[]} values per window
 * @property {number | null} [overall] of the whole selection, where that is no mean of windows
 * @property {number[]} [dash]
 * @typedef {object} Track
 * @property {string} id
 * @property {string} title
 * @property {string} [about]
 * @property {'area' | 'line' | 'bars' | 'stack'} form
 * @property {'mean' | 'max' | 'overall'} summary what is shown of a stretch of windows
 * @property {number} height px
 * @property {(value: number | null) => string} format
 * @property {number} [top] where the axis ends at least
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

/** Whether a track has anything to show; what is still being unpacked has. @param {Track} track */
export function isWorthShowing({ id, series }) {
  if (['requests', 'latency', 'categories'].includes(id)) return true;
  const least = id === 'errors' ? 1e-9 : 0;
  return series.some(({ values }) => values.some(value => value !== null && value >= least));
}

/** Height of a track that needs no more, px. */
const LOW = 34;

/** @param {Model} model @param {Computed} computed @param {Timeline} timeline @param {number[]} lengths s @returns {Track[]} */
function loadTracks(model, { state, times: overall }, timeline, lengths) {
  const { load } = timeline;
  if (!load) return [];
  const picked = pickedInLoad(model, state);
  /** @param {'requests' | 'errors'} what */
  const ratesOf = what => {
    const lists = picked?.flatMap(index => load.endpoints[index] ?? []).map(own => own[what]);
    const counts = lists ? addWindows(lists, lengths.length) : load[what];
    return counts.map((count, window) =>
      count === null || !lengths[window] ? null : count / lengths[window],
    );
  };
  const times = picked ? timesOfEndpoints(model, picked) : load;
  const latency = /** @type {const} */ ([
    ['p99', 'p99Ms', [2, 3]],
    ['p95', 'p95Ms', [7, 3]],
    ['p50', 'p50Ms', []],
  ]);
  return [
    {
      id: 'requests',
      title: 'Requests',
      about: 'per second',
      form: 'area',
      summary: 'mean',
      height: 48,
      format: formatRate,
      series: [{ name: 'sent', color: '--s-requests', values: ratesOf('requests') }],
    },
    {
      id: 'latency',
      title: 'Latency',
      about: load.latencyOf === 'total' ? 'total time' : 'time to first byte',
      form: 'line',
      summary: overall ? 'overall' : 'max',
      height: 84,
      format: formatMs,
      series: latency.map(([name, key, dash]) => ({
        name,
        color: `--s-${name}`,
        values: times[key],
        dash: [...dash],
        overall: overall?.[key] ?? null,
      })),
    },
    {
      id: 'errors',
      title: 'Failed requests',
      about: 'per second',
      form: 'bars',
      summary: 'mean',
      height: LOW,
      format: formatRate,
      series: [{ name: 'failed', color: '--s-errors', values: ratesOf('errors') }],
    },
    {
      id: 'users',
      title: 'Virtual users',
      about: 'at once',
      form: 'line',
      summary: 'mean',
      height: LOW,
      format: formatCount,
      top: 2,
      series: [{ name: 'users', color: '--s-users', values: load.usersActive }],
    },
  ];
}

/** @param {Model} model @param {number[]} picked */
function timesOfEndpoints(model, picked) {
  const merged = mergeWindows(model, picked);
  const at = (/** @type {number} */ quantile) => merged.map(sketch => sketch.quantile(quantile));
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** @param {Model} model @param {Timeline} timeline @param {number[]} lengths s @returns {Track[]} */
function machineTracks(model, timeline, lengths) {
  const { workers, hostCores, generator } = timeline;
  const cpus = model.report.run.host?.cpus;
  const memory = addWindows(
    workers.map(({ rssBytes }) => rssBytes),
    lengths.length,
  );
  return [
    {
      id: 'workers',
      title: 'CPU per worker',
      about: 'cores',
      form: 'line',
      summary: 'mean',
      height: 44,
      format: formatCores,
      top: 1,
      series: workerSeries(model, timeline, lengths),
    },
    {
      id: 'memory',
      title: 'Memory',
      about: 'of all workers, resident',
      form: 'line',
      summary: 'max',
      height: LOW,
      format: formatBytes,
      series: [{ name: 'workers', color: '--s-memory', values: memory }],
    },
    {
      id: 'machine',
      title: 'Machine',
      about: cpus ? `cores in use, of ${formatCount(cpus)}` : 'cores in use',
      form: 'area',
      summary: 'mean',
      height: LOW,
      format: formatCores,
      top: cpus ?? 1,
      series: [{ name: 'all processes', color: '--s-users', values: hostCores ?? [] }],
    },
    {
      id: 'generator',
      title: 'Load generator',
      about: 'busiest thread',
      form: 'area',
      summary: 'max',
      height: LOW,
      format: formatPercent,
      top: 1,
      series: [{ name: 'busy', color: '--s-users', values: generator?.utilization ?? [] }],
    },
  ];
}

/**
 * Two points a window, so that its value lasts from its start to its end, before a gap, too: a step
 * that lasts until the next point has none there.
 * @param {Pick<Track, 'series' | 'form'>} track
 * @param {number[]} edgesMs of its windows, which touch
 * @returns {import('uplot').AlignedData} null where nothing is known
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
