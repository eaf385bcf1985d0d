import { loadRules } from '../../hotpath/load-rules.js';
import { nameCalls } from '../../hotpath/name-calls.js';
import { withoutDescendants } from '../../profile/merge-profiles.js';
import { ofKind } from '../../run/ndjson.js';
import { listWorkerSamples } from '../load/analyse-load.js';
import { buildPeriodTimeline } from '../load/import-artillery.js';
import { measureInFlight } from '../load/littles-law.js';
import { followRun } from '../load/timeline/build-timeline.js';
import { createCpuReader, measureHost, measureProcesses, withUnseen } from '../read/cpu.js';
import { findSampling, readRunWaits } from '../read/read-run-profile.js';
import { listMeasuredCosts } from './costs/build-costs.js';
import { describeCpuUse } from './cpu-use.js';
import { measureIdle } from './idle-cpu.js';
import { addNativeThreads, findNativeThreads, tieNative } from './native-threads.js';
import { buildProfileReport } from './profile-report.js';
import { measureResources } from './resource-use.js';
import { analyseTaskWorkers } from './task-workers.js';
import { measureThreads } from './threads.js';

/** @import { Report } from '../../facts/report.d.ts' */
/** @import { Profile } from '../../profile/profile.d.ts' */
/** @import { RunLoad } from '../load/analyse-load.js' */
/** @import { RunFolder } from '../read/read-folder.js' */
/** @import { RunRecords } from '../read/read-run.js' */
/** @import { NodeColors } from './profile-report.js' */

/**
 * @typedef {object} RunRecording
 * @property {Profile | null} profile everything that was recorded, merged
 * @property {NodeColors | null} colors of its nodes
 * @property {Pick<Report, 'cpu' | 'profile' | 'timeline' | 'costs' | 'resources' | 'taskWorkers'>} facts
 */

/**
 * Third stage of an analysis: the run over time, where its CPU time went, and what requests cost.
 * @param {RunFolder} folder
 * @param {RunLoad} loaded
 * @param {{rulesFile: string | null, onProfile?: (profile: Profile) => void}} options
 * @returns {Promise<RunRecording>}
 * @throws {import('../../errors.js').LoadflameError} RULES_…
 */
export async function analyseRecording(
  { records, reading },
  { load, scope },
  { rulesFile, onProfile },
) {
  const rules = await loadRules(rulesFile);
  const { windows } = scope;
  const periods = load && records.artillery ? buildPeriodTimeline(records.artillery) : null;
  // Everything that needs no stacks comes first: stacks take longest to read.
  const overTime = await followRun(records, { load, range: scope.window, periods });
  const { grid, timeline } = overTime;
  const workerPids = [...new Set(listWorkerSamples(records.processes).map(({ pid }) => pid))];
  const isRecorded = findSampling(records.segments) !== undefined || workerPids.length > 0;
  const beside = isRecorded ? await gatherBeside(records, load, scope, rules) : null;
  const read = await reading;
  const named = read && beside ? nameCalls(read, records.calls, rules) : read;
  if (named) onProfile?.(named);
  // Programs that requests run have CPU time of their own, and no threads for requests.
  const profile = named && withoutDescendants(named, workerPids);
  if (beside?.waits) beside.waits.looks = withoutDescendants(beside.waits.looks, workerPids);
  const native = profile ? findNativeThreads(profile, records.processes, windows) : [];
  const startMs = load?.windows[0]?.startMs ?? 0;
  const nativeMs = tieNative(native, grid, overTime.load, profile?.routes ?? [], startMs);
  const costLoad = overTime.load && { ...overTime.load, nativeMs };
  const analysed =
    profile &&
    beside &&
    buildProfileReport({
      profile: addNativeThreads(profile, native, overTime.load, nativeMs, windows),
      rules,
      source: 'py-spy',
      recording: { ...beside, grid, load: costLoad },
    });
  if (analysed?.report.waits) analysed.report.waits.inFlight = measureInFlight(load);
  const cpu = analysed?.cpu ?? (beside ? describeCpuUse(beside, null) : null);
  const taskWorkers = await analyseTaskWorkers(records, {
    windows,
    rules,
    requests: load?.http.responses ?? null,
  });
  const resources = measureResources(records.processes, windows);
  const costs = analysed ? analysed.costs : listMeasuredCosts(costLoad, cpu?.workersMs ?? null);
  return {
    profile,
    colors: analysed?.colors ?? null,
    facts: {
      ...{ cpu, profile: analysed?.report ?? null, timeline, costs, taskWorkers },
      ...(resources && { resources }),
    },
  };
}

/**
 * What is known about a recording besides its stacks.
 * @param {RunRecords} records
 * @param {RunLoad['load']} load
 * @param {RunLoad['scope']} scope
 * @param {import('../../facts/rules.d.ts').Rules} rules
 */
async function gatherBeside(records, load, scope, rules) {
  // A second start is another recorder that took over.
  const [start] = ofKind(records.segments, 'recording-start');
  return {
    ...scope,
    cpuOf: createCpuReader(records.processes, scope.windows),
    records: records.segments,
    areLinesRead: records.calls.length > 0,
    source: ofKind(records.source, 'function'),
    viewRoutes: ofKind(records.calls, 'route'),
    masterPid: records.manifest.profile?.masterPid ?? null,
    processes: measureProcesses(withUnseen(records.processes), scope.windows),
    threads: measureThreads(records.processes, scope.windows),
    host: measureHost(records.processes, scope.windows),
    requests: load ? load.http.responses : null,
    idleCores: measureIdle(records.processes, start?.t ?? -Infinity, load?.windows ?? []),
    waits: await readRunWaits(records, scope.windows, rules),
  };
}
