/** What the tracks of the timeline show: plain data from a model and what was picked, without time. */
import {
  formatBytes,
  formatCores,
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
} from '../../../format.js';
import { latencyAt, mergeLatency } from '../../../sample-table/sketches.js';
import { addWindows } from '../compute/sums.js';
import { stackCategories } from './stack-categories.js';

/** @import { Timeline } from '../../../analysis/timeline.d.ts' */
/** @import { Computed } from '../compute/compute.js' */
/** @import { Model } from '../compute/model.js' */

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
 * @property {'mean' | 'max' | 'overall'} summary what is told of a stretch of windows
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
  const lengths = timeline.edgesMs
    .slice(1)
    .map((edge, window) => (edge - (timeline.edgesMs[window] ?? 0)) / 1000);
  return [
    ...loadTracks(model, computed, timeline, lengths),
    ...stackCategories(model, computed, timeline, lengths),
    ...machineTracks(model, timeline, lengths),
  ];
}

/** @param {Model} model @param {Computed} computed @param {Timeline} timeline @param {number[]} lengths s @returns {Track[]} */
function loadTracks(model, { state, times: overall }, timeline, lengths) {
  const { load } = timeline;
  if (!load) return [];
  const picked = state.endpoints?.map(name => model.loadIndex[model.endpoints.indexOf(name)] ?? -1);
  /** @param {'requests' | 'errors'} what */
  const count = what => {
    if (!picked) return load[what];
    const lists = picked.flatMap(index => load.endpoints[index] ?? []).map(own => own[what]);
    return addWindows(lists, lengths.length);
  };
  const requests = perSecond(count('requests'), lengths);
  const errors = perSecond(count('errors'), lengths);
  const times = picked ? timesOfEndpoints(model, picked, load, lengths.length) : load;
  const of = load.latencyOf === 'total' ? 'total time' : 'time to first byte';
  /** @type {Track[]} */
  const tracks = [
    {
      id: 'requests',
      title: 'Requests',
      about: 'per second',
      form: 'area',
      summary: 'mean',
      height: 52,
      format: formatRate,
      series: [{ name: 'sent', color: '--s-requests', values: requests }],
    },
    {
      id: 'latency',
      title: 'Latency',
      about: of,
      form: 'line',
      summary: overall ? 'overall' : 'max',
      height: 84,
      format: formatMs,
      series: [
        {
          name: 'p99',
          color: '--s-p99',
          values: times.p99Ms,
          dash: [2, 3],
          overall: overall?.p99Ms ?? null,
        },
        {
          name: 'p95',
          color: '--s-p95',
          values: times.p95Ms,
          dash: [7, 3],
          overall: overall?.p95Ms ?? null,
        },
        { name: 'p50', color: '--s-p50', values: times.p50Ms, overall: overall?.p50Ms ?? null },
      ],
    },
  ];
  if (errors.some(value => (value ?? 0) > 0)) {
    tracks.push({
      id: 'errors',
      title: 'Failed',
      about: 'per second',
      form: 'bars',
      summary: 'mean',
      height: 38,
      format: formatRate,
      series: [{ name: 'failed', color: '--s-errors', values: errors }],
    });
  }
  if (load.usersActive.some(value => value !== null)) {
    tracks.push({
      id: 'users',
      title: 'Users',
      about: 'at work',
      form: 'line',
      summary: 'mean',
      height: 38,
      format: formatCount,
      series: [{ name: 'users', color: '--s-users', values: load.usersActive }],
    });
  }
  return tracks;
}

/** @param {Model} model @param {number[]} picked @param {NonNullable<Timeline['load']>} load @param {number} length */
function timesOfEndpoints({ latency }, picked, load, length) {
  const which = load.latencyOf === 'total' ? 'total' : 'timeToFirstByte';
  const merged = Array.from({ length }, (_, window) =>
    mergeLatency(picked.map(index => latency?.[index]?.[window]?.[which] ?? null)),
  );
  return {
    p50Ms: merged.map(sketch => latencyAt(sketch, 0.5)),
    p95Ms: merged.map(sketch => latencyAt(sketch, 0.95)),
    p99Ms: merged.map(sketch => latencyAt(sketch, 0.99)),
  };
}

const WORKER_COLORS = ['--s-one', '--s-two', '--s-three', '--s-four'];
/** @type {number[][]} with more workers than colours, the line's dashes tell them apart */
const WORKER_DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** @param {Model} model @param {Timeline} timeline @param {number[]} lengths s @returns {Track[]} */
function machineTracks(model, timeline, lengths) {
  const { workers, hostCores, generator } = timeline;
  const cpus = model.report.run.host?.cpus;
  /** @type {Track[]} */
  const tracks = [];
  const measured = workers.filter(({ cpuMs }) => cpuMs.some(ms => ms !== null));
  if (measured.length > 0) {
    /** @type {Track['series']} */
    const series = measured.map(({ pid, cpuMs }, index) => ({
      name: String(pid),
      color: WORKER_COLORS[index % WORKER_COLORS.length] ?? '',
      dash: WORKER_DASHES[Math.floor(index / WORKER_COLORS.length) % WORKER_DASHES.length] ?? [],
      values: cpuMs.map((ms, window) => (ms === null ? null : ms / 1000 / (lengths[window] ?? 1))),
    }));
    if (hostCores?.some(value => value !== null)) {
      series.push({ name: 'machine', color: '--muted', values: hostCores, dash: [1, 3] });
    }
    tracks.push({
      id: 'workers',
      title: 'CPU per worker',
      about: cpus ? `cores, of ${formatCount(cpus)}` : 'cores',
      form: 'line',
      summary: 'mean',
      height: 52,
      format: formatCores,
      top: 1,
      series,
    });
    const memory = workers.map(({ rssBytes }) => rssBytes);
    if (memory.some(values => values.some(value => value !== null))) {
      tracks.push({
        id: 'memory',
        title: 'Memory',
        about: 'of all workers, resident',
        form: 'line',
        summary: 'max',
        height: 38,
        format: formatBytes,
        series: [
          {
            name: 'workers',
            color: '--s-memory',
            values: addWindows(memory, lengths.length),
          },
        ],
      });
    }
  }
  if (generator?.utilization.some(value => value !== null)) {
    tracks.push({
      id: 'generator',
      title: 'Load generator',
      about: 'busiest thread',
      form: 'area',
      summary: 'max',
      height: 38,
      format: formatPercent,
      top: 1,
      series: [{ name: 'busy', color: '--s-users', values: generator.utilization }],
    });
  }
  return tracks;
}

/** @param {(number | null)[]} counts @param {number[]} lengths s @returns {(number | null)[]} */
function perSecond(counts, lengths) {
  return counts.map((count, window) =>
    count === null || !lengths[window] ? null : count / lengths[window],
  );
}
