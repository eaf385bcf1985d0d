import { least, most } from '../../math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { findSampling, measureSegments } from '../read/read-run-profile.js';
import { analyseCluster } from './analyse-cluster.js';
import { namePods, sumInstances } from './balance.js';
import { findUnanswered, readAllowed, sumUpFailures } from './failures.js';
import { buildLoadReport } from './load-report.js';
import { analyseLogs } from './logs/index.js';
import { findServerEnd, findStall } from './stalls.js';

/** @import { LoadReport } from '../../facts/load-report.d.ts' */
/** @import { TimeRange } from '../../facts/estimate.d.ts' */
/** @import { ProfileReport } from '../../facts/profile-report.d.ts' */
/** @import { Report } from '../../facts/report.d.ts' */
/** @import { RunRecords } from '../read/read-run.js' */

/**
 * @typedef {object} RunLoad
 * @property {LoadReport | null} load null where none was recorded
 * @property {Report['logs']} logs
 * @property {ReadonlyMap<string, string>} podOf id of an instance → pod
 * @property {ReturnType<typeof analyseCluster>} cluster
 * @property {{window: TimeRange | null, windows: TimeRange[], segments: NonNullable<ProfileReport['segments']>}} scope
 *   what all figures cover, and which stacks were recorded in it
 */

/**
 * Second stage of an analysis: what the load generator measured, and which time the figures cover.
 * @param {RunRecords} records
 * @param {{skipsLogs?: boolean}} [options] `skipsLogs`: logs can only be read as a whole
 * @returns {Promise<RunLoad>}
 */
export async function analyseLoad(records, { skipsLogs = false } = {}) {
  const { manifest, load: totals } = records;
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
  const { window, ...segments } = measureSegments(records.segments, chooseRange(records, load));
  const windows = load && load.windows.length > 0 ? load.windows : window ? [window] : [];
  const cluster = analyseCluster(records.cluster, load?.window ?? window ?? null);
  return { load, logs, podOf, cluster, scope: { window, windows, segments } };
}

/**
 * @param {RunRecords} records @param {LoadReport | null} load
 * @returns {TimeRange | null} null: the profiler's recording sets it
 */
function chooseRange({ segments, processes }, load) {
  if (load?.windows[0]) return load.window;
  const times = findSampling(segments) ? [] : listWorkerSamples(processes).map(({ t }) => t);
  return times.length > 0 ? { startMs: least(times), endMs: most(times) } : null;
}

/** What the operating system counted for workers. @param {RunRecords['processes']} processes */
export function listWorkerSamples(processes) {
  return ofKind(processes, 'sample').filter(({ role }) => role === 'worker');
}
