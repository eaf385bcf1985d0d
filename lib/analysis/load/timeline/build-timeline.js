/** One axis for everything that a run measured over time. */
import { isSegmentInside } from '../../../profile/merge-profiles.js';
import { streamMetrics } from '../../read/read-run.js';
import { findSampling } from '../../read/read-run-profile.js';
import { buildSecondsGrid, buildSegmentGrid } from './build-grid.js';
import { LoadSeries } from './load-series.js';
import {
  buildCoresSeries,
  buildGeneratorSeries,
  buildHostSeries,
  buildWorkerSeries,
} from './resource-series.js';

/** @import { Grid } from './build-grid.js' */
/** @import { Profile, SegmentInfo } from '../../../profile/profile.d.ts' */
/** @import { LoadRates } from '../load-rates.d.ts' */
/** @import { CostLoad } from '../load-rates.d.ts' */
/** @import { RunRecords } from '../../read/read-run.js' */
/** @import { LoadReport } from '../../../facts/load-report.d.ts' */
/** @import { TimeRange } from '../../../facts/estimate.d.ts' */
/** @import { Timeline } from '../../../facts/timeline.d.ts' */

/** @typedef {Pick<Profile, 'segments' | 'routes'>} TimedProfile */

/**
 * A run over time, and what costs per endpoint take from it.
 * @typedef {object} RunOverTime
 * @property {Grid | null} grid
 * @property {Timeline | null} timeline
 * @property {Timeline | null} bySecond the same, where segments of the profiler are too coarse to follow memory
 * @property {LoadRates | null} rates
 * @property {CostLoad | null} load
 */

/**
 * Which windows there are is only known when all has been read once; so the seconds are read once more.
 * @param {RunRecords} records
 * @param {object} known
 * @param {TimedProfile | null} known.profile
 * @param {LoadReport | null} known.load
 * @param {TimeRange | null} known.range what the figures cover
 * @param {TimeRange[]} known.windows in which samples count
 * @param {Timeline | null} known.periods of a load that Artillery sent
 * @returns {Promise<RunOverTime>}
 */
export async function followRun(records, { load, ...known }) {
  const { periods } = known;
  const grid = chooseGrid(known);
  const series = periods ? null : grid && load && createLoadSeries(grid, load);
  const finer = grid?.basis === 'segments' ? chooseGrid({ ...known, profile: null }) : null;
  const finerSeries = finer && load && createLoadSeries(finer, load);
  if (series) {
    for await (const record of streamMetrics(records))
      if (record.kind === 'second') for (const one of [series, finerSeries]) one?.add(record);
  }
  const timeline = grid && buildTimeline(grid, records, periods?.load ?? series?.close() ?? null);
  const bySecond = finer ? buildTimeline(finer, records, finerSeries?.close() ?? null) : timeline;
  const { endpoints } = records.load;
  return {
    grid,
    timeline,
    bySecond,
    rates: timeline?.load
      ? {
          endpoints: timeline.load.endpoints.map(({ name, requests }) => {
            const routes = endpoints.routesOf(name);
            const total = requests.reduce((sum, n) => sum + n, 0);
            return { name, requests: total, perWindow: requests, ...(routes && { routes }) };
          }),
        }
      : null,
    load: load && {
      endpoints: load.endpoints,
      serverTimes: endpoints.serverTimes(),
      overTime: timeline?.load?.endpoints ?? [],
    },
  };
}

/**
 * What a profile will say of time, before it is read: the seconds are read once more meanwhile. Where
 * answers told of themselves the companion was there, which puts routes on the stacks.
 * @param {Pick<RunRecords, 'load' | 'segments'>} records
 * @returns {TimedProfile | null}
 */
export function expectProfile({ load, segments: records }) {
  if (!findSampling(records)) return null;
  const segments = records
    .filter(({ kind }) => kind === 'segment')
    .map(({ startMs, endMs }) => ({ startMs, endMs }));
  return { segments, routes: [...load.endpoints.serverTimes().keys()] };
}

/**
 * Windows that loads and samples can both be filed in: Artillery's periods, which can't be divided; else whole
 * seconds where the companion's half-seconds stand on the stacks and where there is no profile, else segments of
 * the profiler.
 * @param {object} known
 * @param {TimeRange | null} known.range what the figures cover
 * @param {TimedProfile | null} known.profile
 * @param {TimeRange[]} known.windows samples of a segment are in the base where one of them holds its middle;
 *   none: all are
 * @param {Grid | null} known.periods of a load that Artillery sent
 * @returns {Grid | null} null where no time is known
 */
export function chooseGrid({ range, profile, windows, periods }) {
  if (periods) return { edgesMs: periods.edgesMs, basis: periods.basis };
  if (profile && profile.routes.length === 0) {
    const counts = (/** @type {SegmentInfo} */ segment) =>
      windows.length === 0 || windows.some(window => isSegmentInside(segment, window));
    const edgesMs = buildSegmentGrid(profile.segments.filter(counts), range);
    if (edgesMs.length > 1) return { edgesMs, basis: 'segments' };
  }
  return range ? { edgesMs: buildSecondsGrid(range), basis: 'seconds' } : null;
}

/** To which the seconds are to be added. @param {Grid} grid @param {LoadReport} load */
export function createLoadSeries({ edgesMs }, { endpoints, http }) {
  const names = endpoints.map(({ name }) => name);
  return new LoadSeries(edgesMs, names, http.totalTime ? 'total' : 'time-to-first-byte');
}

/**
 * @param {Grid} grid
 * @param {Pick<RunRecords, 'load' | 'processes'>} records
 * @param {Timeline['load']} series null without a load
 * @returns {Timeline}
 */
export function buildTimeline({ edgesMs, basis }, { load, processes }, series) {
  const ofTests = load.tests.flatMap(test => test.records);
  return {
    edgesMs,
    basis,
    load: series,
    workers: buildWorkerSeries(processes, edgesMs),
    hostCores: buildHostSeries(processes, edgesMs),
    recordedCores: buildCoresSeries(processes, edgesMs),
    generator: series && buildGeneratorSeries(ofTests, processes, edgesMs),
  };
}
