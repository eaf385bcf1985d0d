/** One axis for everything that a run measured over time. */
import { splitLoadTests } from '../load-windows.js';
import { buildSecondsGrid, buildSegmentGrid } from './build-grid.js';
import { buildGeneratorSeries } from './generator-series.js';
import { buildLoadSeries } from './load-series.js';
import { buildHostSeries, buildWorkerSeries } from './resource-series.js';

/** @typedef {import('../timeline.d.ts').Timeline} Timeline */
/** @typedef {import('../report.d.ts').TimeRange} TimeRange */
/** @typedef {Pick<Timeline, 'edgesMs' | 'basis'>} Grid */

/**
 * Windows that loads and samples can both be filed in: whole seconds where the companion's half-seconds
 * stand on the stacks and where there is no profile, else segments of the profiler.
 * @param {object} known
 * @param {TimeRange | null} known.range what the figures cover
 * @param {import('../../profile/profile.d.ts').Profile | null} known.profile
 * @param {(segment: import('../../profile/profile.d.ts').SegmentInfo) => boolean} known.counts
 *   whether samples of a segment are in the base
 * @returns {Grid | null} null where no time is known
 */
export function chooseGrid({ range, profile, counts }) {
  if (profile && profile.routes.length === 0) {
    const edgesMs = buildSegmentGrid(profile.segments.filter(counts), range);
    if (edgesMs.length > 1) return { edgesMs, basis: 'segments' };
  }
  return range ? { edgesMs: buildSecondsGrid(range), basis: 'seconds' } : null;
}

/**
 * @param {Grid} grid
 * @param {object} records
 * @param {Record<string, any>[]} records.metrics
 * @param {Record<string, any>[]} records.processes
 * @param {import('../report.d.ts').LoadReport | null} load
 * @returns {Timeline}
 */
export function buildTimeline({ edgesMs, basis }, { metrics, processes }, load) {
  const seconds = load ? splitLoadTests(metrics).flatMap(test => test.records) : [];
  return {
    edgesMs,
    basis,
    load:
      load &&
      buildLoadSeries(
        seconds,
        edgesMs,
        load.endpoints.map(({ name }) => name),
      ),
    workers: buildWorkerSeries(processes, edgesMs),
    hostCores: buildHostSeries(processes, edgesMs),
    generator: load && buildGeneratorSeries(seconds, processes, edgesMs),
  };
}
