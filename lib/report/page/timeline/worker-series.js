/** @import { Timeline } from '../../../analysis/timeline.d.ts' */
/** @import { TrackSeries } from './tracks.js' */

const WORKER_COLORS = ['--s-one', '--s-two', '--s-three', '--s-four'];
/** @type {number[][]} beyond the colours, dashes tell workers apart */
const WORKER_DASHES = [[], [6, 3]];
/** More lines than this can not be followed. */
const MOST_LINES = 6;

/**
 * CPU of each worker, in cores; of many workers only the busiest, the mean and the idlest.
 * @param {Timeline} timeline
 * @param {number[]} lengths of its windows, s
 * @returns {TrackSeries[]}
 */
export function workerSeries({ workers }, lengths) {
  const lines = workers
    .map(({ pid, cpuMs }) => ({
      name: String(pid),
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
