import { analyseCluster } from './analyse-cluster.js';
import { namePods, sumInstances } from './balance.js';
import { findUnanswered, readAllowed, sumUpFailures } from './failures.js';
import { buildPeriodTimeline } from './import-artillery.js';
import { buildLoadReport } from './load-report.js';
import { analyseLogs } from './logs/index.js';
import { findServerEnd, findStall } from './stalls.js';
import { followRun, readRates } from './timeline/build-timeline.js';

/** @import { LoadReport } from '../../run/facts/load-report.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { RunRead } from '../read/read-folder.js' */
/** @import { CostLoad } from './load-rates.d.ts' */

/**
 * @typedef {object} RunLoad
 * @property {LoadReport | null} load null where none was recorded
 * @property {Report['timeline']} timeline
 * @property {CostLoad | null} rates of its endpoints
 * @property {Report['logs']} logs
 * @property {ReadonlyMap<string, string>} podOf id of an instance → pod
 * @property {ReturnType<typeof analyseCluster>} cluster
 */

/**
 * Second stage of an analysis: what the load generator measured.
 * @param {Pick<RunRead, 'records' | 'scope' | 'series'>} read
 * @param {{skipsLogs?: boolean}} [options] `skipsLogs`: logs can only be read as a whole
 * @returns {Promise<RunLoad>}
 */
export async function analyseLoad({ records, scope, series }, { skipsLogs = false } = {}) {
  const { manifest, artillery, load: totals } = records;
  const instances = new Set([...sumInstances(totals.workers).keys(), ...totals.backends.keys()]);
  const podOf = namePods(instances, records.cluster);
  const measured = buildLoadReport(records, podOf);
  const { errorBursts, logs } = await analyseLogs(records, measured, { podOf, skipsLogs });
  const refused = measured && findUnanswered(measured, logs);
  const load = measured && {
    ...measured,
    errorBursts,
    serverEnd: findServerEnd(records, measured.window),
    stall: findStall(totals),
    failures: sumUpFailures(measured, {
      allowed: readAllowed(manifest.settings),
      unanswered: refused?.line?.count ?? 0,
    }),
  };
  const periods = load && artillery ? buildPeriodTimeline(artillery) : null;
  const timeline = followRun({ records, series }, periods);
  const rates = load && readRates(timeline, totals.endpoints);
  const cluster = analyseCluster(records.cluster, load?.window ?? scope.window);
  return { load, timeline, rates, logs, podOf, cluster };
}
