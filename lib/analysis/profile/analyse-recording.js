import { sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { markDroppedLogs } from '../hotpath/dropped-logs.js';
import { loadRules } from '../hotpath/load-rules.js';
import { isGreen, listTaken, nameCalls } from '../hotpath/name-calls.js';
import { countInFlight } from '../load/littles-law.js';
import { createCpuReader, measureHost, measureProcesses, withUnseen } from '../read/cpu.js';
import { findSampling, renameRoutes } from '../read/read-run-profile.js';
import { listWorkerSamples } from '../read/scope.js';
import { withoutStartedPrograms } from '../stacks/merge-profiles.js';
import { endLastingThreads, endThreads } from '../stacks/outliving-threads.js';
import { listMeasuredCosts, sumMeasured } from './costs/build-costs.js';
import { describeCpuUse } from './cpu-use.js';
import { addLibraries } from './find-app.js';
import { findForked, moveForked } from './forked.js';
import { measureIdle } from './idle-cpu.js';
import { markLines } from './mark-lines.js';
import { mendStacks } from './mend-stacks.js';
import {
  addNativeThreads,
  createCallReader,
  findCaller,
  findNativeThreads,
  tieNative,
} from './native-threads.js';
import { buildProfileReport } from './profile-report.js';
import { measureResources } from './resource-use.js';
import { analyseTaskWorkers } from './task-workers.js';
import { measureThreads } from './threads.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { RunLoad } from '../load/analyse-load.js' */
/** @import { RunRead } from '../read/read-folder.js' */
/** @import { NodeColors } from './profile-report.js' */
/** @import { Opener } from './waits/wait-kinds.js' */
/** @import { SampleCounter } from '../../run/facts/slow-requests.d.ts' */

/**
 * @typedef {object} RunRecording
 * @property {Profile | null} profile everything that was recorded, merged
 * @property {NodeColors | null} colors of its nodes
 * @property {SampleCounter | null} countSamples that fell into a request
 * @property {Pick<Report, 'cpu' | 'profile' | 'timeline' | 'costs' | 'resources' | 'taskWorkers'>} facts
 */

/**
 * Third stage of an analysis, in three steps: it corrects the stacks, classifies them, and says what requests cost.
 * @param {RunRead} read
 * @param {RunLoad} loaded
 * @param {{rulesFile: string | null, onProfile?: (profile: Profile) => void, openers: Opener[]}} options
 * @returns {Promise<RunRecording>}
 * @throws {import('../../base/errors.js').LoadflameError} RULES_…
 */
export async function analyseRecording(read, loaded, { rulesFile, onProfile, openers }) {
  const known = await loadRules(rulesFile);
  // Everything that needs no stacks comes first: stacks take longest to read.
  const all = gatherBeside(read, loaded);
  const corrected = await correctStacks(read, loaded, { rules: known, onProfile, openers });
  const beside = moveForked(all, corrected.forked);
  const { rules } = corrected;
  const classified = classifyStacks(corrected, { beside, loaded, rules });
  const resources = measureResources(read.records.processes, read.scope.windows);
  return {
    profile: corrected.ofWorkers,
    colors: classified?.colors ?? null,
    countSamples: classified?.countSamples ?? null,
    facts: {
      ...costRequests(classified, beside, corrected.rates),
      profile: classified?.report ?? null,
      timeline: loaded.timeline,
      taskWorkers: analyseTaskWorkers(read, rules, loaded.load?.http.responses ?? null),
      ...(resources && { resources }),
    },
  };
}

/**
 * First step. Names the calls of C code, leaves out programs that requests started (these have CPU time of their own,
 * and no threads for requests), and adds the CPU time of threads that run no Python.
 * @param {RunRead} read
 * @param {RunLoad} loaded
 * @param {{rules: Rules, onProfile?: (profile: Profile) => void, openers: Opener[]}} options
 */
async function correctStacks(
  { records, scope: { windows }, waits, reading },
  { load, timeline, rates },
  { rules: known, onProfile, openers },
) {
  const { processes, source } = records;
  const taken = waits && isGreen(waits.looks) ? listTaken(ofKind(source, 'function')) : [];
  const calls = [...taken, ...records.calls];
  const [read, routeOf] = [await reading, records.load.endpoints.createRouteNames()];
  const longestMs = load?.http.totalTime?.maxMs ?? Infinity;
  const routed = read && endLastingThreads(renameRoutes(read, routeOf), longestMs);
  const rules = routed ? addLibraries(known, routed, records.manifest) : known;
  const forked = findForked(waits?.looks ?? routed, rules);
  const pids = [...new Set(listWorkerSamples(processes).map(own => own.pid)).difference(forked)];
  const plain = routed && markDroppedLogs(nameCalls(routed, calls, rules), calls);
  const named = plain && markLines(plain, ofKind(records.source, 'function'), rules);
  if (named) onProfile?.(named);
  const ofWorkers = named && mendStacks(withoutStartedPrograms(named, pids));
  const native = ofWorkers ? findNativeThreads(ofWorkers, processes, windows) : [];
  const allNativeMs = sum(native.flatMap(({ cpuMsOf }) => windows.map(cpuMsOf)));
  const own = waits && endThreads(renameRoutes(waits.looks, routeOf), longestMs);
  const looks = own && nameCalls(own, calls, rules, true);
  const callOf = looks ? createCallReader(looks, rules) : () => null;
  const routes = ofWorkers?.routes ?? [];
  const caller = native.length > 0 ? findCaller(routes, callOf) : null;
  const nativeMs = tieNative(native, timeline, rates, routes, load?.windows[0]?.startMs, caller);
  const tied = rates && { ...rates, nativeMs };
  return {
    rules,
    forked,
    ofWorkers,
    profile: ofWorkers && addNativeThreads(ofWorkers, native, tied, windows, callOf),
    waits: waits && looks && { ...waits, openers, looks: withoutStartedPrograms(looks, pids) },
    rates: tied && { ...tied, allNativeMs },
  };
}

/**
 * Second step: what the stacks show, by category, path, cause and wait.
 * @param {Awaited<ReturnType<typeof correctStacks>>} corrected
 * @param {{beside: ReturnType<typeof gatherBeside>, loaded: RunLoad, rules: Rules}} known
 */
function classifyStacks({ profile, waits, rates }, { beside, loaded, rules }) {
  if (!profile || !beside) return null;
  const recording = { ...beside, waits, grid: loaded.timeline, load: rates };
  const classified = buildProfileReport({ profile, rules, source: 'py-spy', recording });
  if (classified.report.waits)
    classified.report.waits.inFlight = countInFlight(loaded.load?.seconds ?? []);
  return classified;
}

/**
 * Third step: the CPU time of the workers, and what of it each endpoint costs. Without stacks, what its threads measured.
 * @param {ReturnType<typeof classifyStacks>} classified
 * @param {ReturnType<typeof gatherBeside>} beside
 * @param {import('../load/load-rates.d.ts').CostLoad | null} rates
 */
function costRequests(classified, beside, rates) {
  if (classified) return { cpu: classified.cpu, costs: classified.costs };
  const cpu = beside && describeCpuUse(beside, null);
  return { cpu, costs: listMeasuredCosts(rates, cpu?.workersMs ?? null) };
}

/**
 * What is known about a recording besides its stacks; null where none was made.
 * @param {RunRead} read
 * @param {RunLoad} loaded
 */
function gatherBeside({ records, scope }, { load, rates }) {
  const { processes, segments, calls } = records;
  if (!findSampling(segments) && listWorkerSamples(processes).length === 0) return null;
  // A second start is another recorder that took over.
  const [start] = ofKind(segments, 'recording-start');
  return {
    ...scope,
    cpuOf: createCpuReader(processes, scope.windows),
    records: segments,
    areLinesRead: calls.length > 0,
    source: ofKind(records.source, 'function'),
    viewRoutes: ofKind(calls, 'route'),
    masterPid: records.manifest.profile?.masterPid ?? null,
    processes: measureProcesses(withUnseen(processes), scope.windows),
    threads: measureThreads(processes, scope.windows),
    host: measureHost(processes, scope.windows),
    requests: load ? load.http.responses : null,
    idleCores: measureIdle(processes, start?.t ?? -Infinity, load?.windows ?? [], {
      requestsMs: sumMeasured(rates),
      // Before a part of a load there is more of it.
      loadMs: records.load.window ? records.load.tests[0]?.start.t : undefined,
      clockMs: records.manifest.mergedFrom?.clock.uncertaintyMs ?? 0,
    }),
  };
}
