/** One axis for everything that a run measured over time. */
import { sum } from '../../../base/math/summary.js';
import { areSmallParts } from '../load-parts.js';
import { buildLoadTimeline } from './load-timeline.js';
import {
  buildCoresSeries,
  buildGeneratorSeries,
  buildHostSeries,
  buildWorkerSeries,
} from './resource-series.js';

/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */
/** @import { Grid } from '../../read/load/build-grid.js' */
/** @import { Endpoints } from '../../read/load/endpoints.js' */
/** @import { RunRecords } from '../../read/read-run.js' */
/** @import { RunRead } from '../../read/read-folder.js' */
/** @import { CostLoad } from '../load-rates.d.ts' */

/**
 * Windows are whole seconds, or Artillery's periods, which can't be divided.
 * @param {Pick<RunRead, 'records' | 'series'>} read
 * @param {Timeline | null} periods of a load that Artillery sent
 * @returns {Timeline | null}
 */
export function followRun({ records, series }, periods) {
  if (periods) return buildTimeline(periods, records, periods.load);
  const load = series && records.load.tests.length > 0 ? buildLoadTimeline(series) : null;
  return series && buildTimeline({ edgesMs: series.edgesMs, basis: 'seconds' }, records, load);
}

/**
 * What costs per endpoint need from the load.
 * @param {Timeline | null} timeline
 * @param {Endpoints} endpoints
 * @returns {CostLoad}
 */
export function readRates(timeline, endpoints) {
  return {
    endpoints: (timeline?.load?.endpoints ?? []).map(({ name, requests, measured }) => {
      const { codes, server, routes, sums } = endpoints.of(name);
      const answers = sum(Object.values(codes));
      return {
        name,
        measured,
        perWindow: requests,
        requests: sum(requests),
        answers,
        serverMs: server && server.count > 0 ? server.totalMs / server.count : null,
        ...(routes && { routes }),
        ...(server?.calls && { calls: server.calls }),
        ...((sums.responseBytes ?? 0) > 0 && { inSmallParts: areSmallParts(sums, answers) }),
      };
    }),
  };
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
