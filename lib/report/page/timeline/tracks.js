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
import { workerSeries } from './worker-series.js';

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
      height: 48,
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
      height: 34,
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
      height: 34,
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

/** @param {Model} model @param {Timeline} timeline @param {number[]} lengths s @returns {Track[]} */
function machineTracks(model, timeline, lengths) {
  const { workers, hostCores, generator } = timeline;
  const cpus = model.report.run.host?.cpus;
  const memory = addWindows(
    workers.map(({ rssBytes }) => rssBytes),
    lengths.length,
  );
  /** @type {Omit<Track, 'height'>[]} */
  const tracks = [
    {
      id: 'workers',
      title: 'CPU per worker',
      about: 'cores',
      form: 'line',
      summary: 'mean',
      format: formatCores,
      top: 1,
      series: workerSeries(timeline, lengths),
    },
    {
      id: 'memory',
      title: 'Memory',
      about: 'of all workers, resident',
      form: 'line',
      summary: 'max',
      format: formatBytes,
      series: [{ name: 'workers', color: '--s-memory', values: memory }],
    },
    {
      id: 'machine',
      title: 'Machine',
      about: cpus ? `cores, of ${formatCount(cpus)}` : 'cores',
      form: 'area',
      summary: 'mean',
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
      format: formatPercent,
      top: 1,
      series: [{ name: 'busy', color: '--s-users', values: generator?.utilization ?? [] }],
    },
  ];
  return tracks
    .filter(({ series }) => series.some(({ values }) => values.some(value => value !== null)))
    .map(track => ({ ...track, height: track.id === 'workers' ? 44 : 34 }));
}

/** @param {(number | null)[]} counts @param {number[]} lengths s @returns {(number | null)[]} */
function perSecond(counts, lengths) {
  return counts.map((count, window) =>
    count === null || !lengths[window] ? null : count / lengths[window],
  );
}
