/** One axis for everything that a run measured over time. */
import { sum } from '../../../math/summary.js';
import { streamMetrics } from '../../read/read-run.js';
import { buildSecondsGrid } from './build-grid.js';
import { LoadSeries } from './load-series.js';
import {
  buildCoresSeries,
  buildGeneratorSeries,
  buildHostSeries,
  buildWorkerSeries,
} from './resource-series.js';

/** @import { Grid } from './build-grid.js' */
/** @import { CostLoad } from '../load-rates.d.ts' */
/** @import { RunRecords } from '../../read/read-run.js' */
/** @import { LoadReport } from '../../../facts/load-report.d.ts' */
/** @import { TimeRange } from '../../../facts/estimate.d.ts' */
/** @import { Timeline } from '../../../facts/timeline.d.ts' */

/**
 * A run over time, and what costs per endpoint take from it.
 * @typedef {object} RunOverTime
 * @property {Grid | null} grid
 * @property {Timeline | null} timeline
 * @property {CostLoad | null} load
 */

/**
 * Which windows there are is only known when all has been read once; so the seconds are read once more. Windows are
 * whole seconds, or Artillery's periods, which can't be divided.
 * @param {RunRecords} records
 * @param {object} known
 * @param {LoadReport | null} known.load
 * @param {TimeRange | null} known.range what the figures cover
 * @param {Timeline | null} known.periods of a load that Artillery sent
 * @returns {Promise<RunOverTime>}
 */
export async function followRun(records, { load, range, periods }) {
  /** @type {Grid | null} */
  const grid = periods ?? (range && { edgesMs: buildSecondsGrid(range), basis: 'seconds' });
  const series = periods ? null : grid && load && createLoadSeries(grid, load);
  if (series) {
    for await (const record of streamMetrics(records))
      if (record.kind === 'second') series.add(record);
  }
  const timeline = grid && buildTimeline(grid, records, periods?.load ?? series?.close() ?? null);
  const { endpoints } = records.load;
  return {
    grid,
    timeline,
    load: load && {
      endpoints: (timeline?.load?.endpoints ?? []).map(({ name, requests, measured }) => {
        const { codes, server, routes } = endpoints.of(name);
        return {
          ...{ name, measured, perWindow: requests, requests: sum(requests) },
          answers: sum(Object.values(codes)),
          serverMs: server && server.count > 0 ? server.totalMs / server.count : null,
          ...(routes && { routes }),
        };
      }),
    },
  };
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
    generator: series && buildGeneratorSeries(ofTests, edgesMs),
  };
}
