/** The tracks of CPU: by category, stacked, and of each worker. */
import { formatCores, formatCount } from '../../../format.js';
import { addWindows } from '../compute/sums.js';

/** @import { Timeline } from '../../../facts/timeline.d.ts' */
/** @import { Computed, Model } from '../compute/compute.js' */
/** @import { Track, TrackSeries } from './tracks.js' */

const MAX_LAYERS = 8;

/**
 * CPU by category, stacked. Process CPU time says how high, samples how it splits; without process
 * CPU time it is samples per second.
 * @param {Model} model
 * @param {Computed} computed
 * @param {Timeline} timeline
 * @param {number[]} lengths s
 * @returns {Track[]} none without a profile; with empty series while samples are unpacked
 */
export function stackCategories({ report, samples }, { counts, state }, timeline, lengths) {
  const table = report.profile?.table;
  if (!table || table.totalSamples === 0 || !table.edgesMs) return [];
  const workers = timeline.workers.filter(({ pid }) => state.workers?.includes(pid) ?? true);
  const cpuMs = addWindows(
    workers.map(worker => worker.cpuMs),
    lengths.length,
  );
  const hasCpu = cpuMs.some(ms => ms !== null);
  const all = samples ? totalsOfWindows(samples, state.workers) : null;
  const layers = table.categories.map((_, category) =>
    lengths.map((length, window) => {
      const count = counts?.categoryWindows[category * lengths.length + window];
      const total = all?.[window] ?? 0;
      if (count === undefined || total === 0) return null;
      if (!hasCpu) return count / length;
      const ms = cpuMs[window] ?? null;
      return ms === null ? null : ((count / total) * ms) / 1000 / length;
    }),
  );
  return [
    {
      id: 'categories',
      title: 'CPU by category',
      about: hasCpu ? 'cores' : 'samples per second',
      form: 'stack',
      summary: 'mean',
      height: 84,
      format: hasCpu ? formatCores : value => `${formatCount(value)}/s`,
      series: foldSmall(layers, table.categories),
    },
  ];
}

/**
 * The first categories by themselves, the others as one layer: the table is in order of size.
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

/** @type {{samples: object, key: string, totals: Float64Array} | null} it changes with workers only */
let lastTotals = null;

/**
 * Active samples of each window, of some workers.
 * @param {NonNullable<Model['samples']>} samples
 * @param {number[] | null} pids null: all
 */
function totalsOfWindows(samples, pids) {
  const key = JSON.stringify(pids);
  if (lastTotals?.samples === samples && lastTotals.key === key) return lastTotals.totals;
  const { table, windowCount, rows } = samples;
  const totals = new Float64Array(windowCount);
  for (let window = 0; window < windowCount; window++) {
    for (const [index, pid] of table.workers.entries()) {
      if (pids && !pids.includes(pid)) continue;
      const group = window * table.workers.length + index;
      for (let row = rows.start[group] ?? 0; row < (rows.start[group + 1] ?? 0); row++)
        totals[window] = (totals[window] ?? 0) + (rows.count[row] ?? 0);
    }
  }
  lastTotals = { samples, key, totals };
  return totals;
}

const WORKER_COLORS = ['--s-one', '--s-two', '--s-three', '--s-four'];
/** @type {number[][]} beyond the colours, dashes tell workers apart */
const WORKER_DASHES = [[], [6, 3]];
/** More lines than this can not be followed. */
const MOST_LINES = 6;

/**
 * CPU of each worker, in cores; of many workers only the busiest, the mean and the idlest.
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
  return [
    { name: 'busiest', color: '--s-two', values: over(values => Math.max(...values)) },
    {
      name: `mean of ${lines.length}`,
      color: '--s-one',
      values: over(values => values.reduce((sum, value) => sum + value, 0) / values.length),
    },
    {
      name: 'idlest',
      color: '--s-three',
      values: over(values => Math.min(...values)),
      dash: [6, 3],
    },
  ];
}
