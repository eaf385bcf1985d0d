/** From a run folder, or from loose files, to the Report. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findBottleneck } from '../bottleneck/find-bottleneck.js';
import { estimateWhatIf } from '../bottleneck/what-if.js';
import { LoadflameError } from '../errors.js';
import { loadRules } from '../hotpath/load-rules.js';
import { nameCalls } from '../hotpath/name-calls.js';
import { least, most } from '../math/summary.js';
import { mergeProfiles } from '../profile/merge-profiles.js';
import { detectFile, readProfile } from '../profile/read-profile.js';
import { describeVersions } from '../run/host.js';
import { readManifest } from '../run/manifest.js';
import { runFiles } from '../run/run-folder.js';
import { analyseCluster } from './analyse-cluster.js';
import { gatherRunFacts } from './bottleneck/gather-run.js';
import { measureBalance, readBackends, sumInstances } from './costs/balance.js';
import { listMeasuredCosts } from './costs/build-costs.js';
import { findAlike } from './costs/find-alike.js';
import { namePods } from './costs/name-pods.js';
import { createCpuReader, measureHost, measureProcesses } from './cpu.js';
import { describeCpuUse } from './cpu-use.js';
import { collectFindings } from './findings/index.js';
import { measureIdle } from './idle-cpu.js';
import { followClock, measureClockSkew } from './load/clock-skew.js';
import { findUnanswered, readAllowed, sumUpFailures } from './load/failures.js';
import { importArtillery } from './load/import-artillery.js';
import { buildLoadReport } from './load/load-report.js';
import { findServerEnd, findStall } from './load/stalls.js';
import { analyseLogs } from './logs/index.js';
import { addNativeThreads, findNativeThreads, tieNative } from './profile/native-threads.js';
import { buildProfileReport } from './profile/profile-report.js';
import {
  findSampling,
  measureSegments,
  readRunProfile,
  readRunWaits,
} from './profile/read-run-profile.js';
import { judgeQuality, judgeReliability, NOTHING_BESIDES } from './quality/index.js';
import { measureInFlight } from './quality/littles-law.js';
import { findPartialReasons } from './quality/partial-reasons.js';
import { findInvalid } from './quality/validity.js';
import { readArtillery, readRecords, readRun } from './read-run.js';
import { analyseTaskWorkers } from './task-workers.js';
import { createThreadClock, measureThreads } from './threads.js';
import { measurePodThrottling, measureThrottling } from './throttling.js';
import { chooseGrid, expectProfile, followRun } from './timeline/build-timeline.js';
import { buildPeriodTimeline } from './timeline/period-timeline.js';
import { judge } from './verdict/judge.js';
import { rankFindings } from './verdict/trust.js';

/** @typedef {import('../facts/report.d.ts').Report} Report */
/** @typedef {import('../profile/profile.d.ts').Profile} Profile */

/**
 * @typedef {object} Analysis
 * @property {Report} report
 * @property {Profile | null} profile all that was recorded, merged
 * @property {number | null} serverPid first process of the server that was recorded
 * @property {import('./profile/profile-report.js').NodeColors | null} colors of the nodes of the profile, by their category
 */

/**
 * @typedef {object} AnalysisOptions
 * @property {string | null} [rulesFile]
 * @property {(profile: Profile) => void} [onProfile] takes the profile as soon as it is read: analysing it
 *   takes about as long as writing it down
 */

/**
 * @param {string} folder of a run
 * @param {AnalysisOptions} [options]
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseRun(folder, { rulesFile = null, onProfile } = {}) {
  // The profile takes longest to read: it is begun with, and the load is summed up meanwhile.
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  const reading = readRecords(files, manifest, 'segments').then(({ records: segments }) =>
    readRunProfile({ files, segments, manifest }),
  );
  reading.catch(() => {}); // is told below
  const records = withoutHost(await readRun(folder));
  const { workers, backends } = records.load;
  const instances = new Set([...sumInstances(workers).keys(), ...backends.keys()]);
  const podOf = namePods(instances, records.cluster);
  const measuredLoad = buildLoadReport(records, podOf);
  const told = records.load.tests.flatMap(test => test.records);
  // Two folders that were merged have been brought to one clock.
  const clock = manifest.mergedFrom ? null : followClock(told);
  const { errorBursts, logs, lines, logged } = await analyseLogs(records, measuredLoad, {
    podOf,
    clock,
  });
  const refused = measuredLoad && findUnanswered(measuredLoad, logs);
  const load = measuredLoad && {
    ...measuredLoad,
    errorBursts,
    serverEnd: findServerEnd(records, measuredLoad.window),
    stall: findStall(records.load, records.processes, lines),
    failures: sumUpFailures(measuredLoad, {
      allowed: readAllowed(manifest.settings),
      unanswered: refused?.line ? refused.emits : 0,
    }),
  };
  const windows = load?.windows ?? [];
  const timed = expectProfile(records);
  const uses = records.processes.filter(({ kind, role }) => kind === 'sample' && role === 'worker');
  const { window, ...segments } = measureSegments(
    records.segments,
    load?.windows[0] ? load.window : timed ? null : spanOf(uses),
  );
  const scope = { window, windows: windows.length > 0 ? windows : window ? [window] : [] };
  const periods = load && records.artillery ? buildPeriodTimeline(records.artillery) : null;
  const known = { load, range: window, windows: scope.windows, periods };
  // All that needs no stacks comes first: they take longest to read.
  const expected = await followRun(records, { ...known, profile: timed });
  const recorded =
    timed || uses.length > 0
      ? await gatherRecorded(records, load, { ...scope, segments }, rulesFile)
      : null;
  const read = await reading;
  const profile = read && recorded ? nameCalls(read, records.calls, recorded.rules) : read;
  if (profile) onProfile?.(profile);
  const isExpected = isDeepStrictEqual(chooseGrid({ ...known, profile }), expected.grid);
  const overTime = isExpected ? expected : await followRun(records, { ...known, profile });
  const { grid, rates } = overTime;
  const native = profile ? findNativeThreads(profile, records.processes, scope.windows) : [];
  const nativeMs = tieNative(native, grid, rates, profile?.routes ?? [], windows[0]?.startMs ?? 0);
  const costLoad = overTime.load && { ...overTime.load, nativeMs };
  const cluster = analyseCluster(records.cluster, load?.window ?? window ?? null);
  const analysed =
    profile &&
    recorded &&
    buildProfileReport({
      profile: addNativeThreads(profile, native, rates, nativeMs, scope.windows),
      rules: recorded.rules,
      source: 'py-spy',
      recording: { ...recorded.beside, grid, rates, load: costLoad },
    });
  const waits = analysed?.report.waits;
  if (waits) waits.inFlight = measureInFlight(load);
  const cpu = analysed?.cpu ?? (recorded ? describeCpuUse(recorded.beside, null) : null);
  if (analysed?.costs) analysed.costs.tying.alike = findAlike(analysed.costs, records);
  const reasons = findPartialReasons(records);
  const throttling = measureThrottling(records.processes, scope.windows);
  const run = {
    id: manifest.id,
    kind: manifest.kind,
    status:
      reasons.length > 0 ? /** @type {const} */ ('partial') : /** @type {const} */ ('complete'),
    reasons,
    startedAtMs: manifest.startedAtMs,
    endedAtMs: manifest.endedAtMs,
    target: manifest.target,
    ...(manifest.targets && { targets: manifest.targets }),
    command: manifest.command,
    script: manifest.script,
    versions: manifest.versions,
    host: manifest.host,
    ...(manifest.mergedFrom && { mergedFrom: manifest.mergedFrom }),
    settings: manifest.settings,
    files: [],
  };
  const report = assemble(
    {
      run,
      load,
      cpu,
      profile: analysed?.report ?? null,
      timeline: overTime.timeline,
      bySecond: overTime.bySecond,
      costs: analysed ? analysed.costs : listMeasuredCosts(costLoad, cpu?.workersMs ?? null),
      taskWorkers: await analyseTaskWorkers(records, {
        windows: scope.windows,
        rules: recorded?.rules ?? (await loadRules(rulesFile)),
        requests: load?.http.responses ?? null,
        costs: analysed?.costs ?? null,
      }),
      balance: measureBalance({
        counts: records.load,
        workers: cpu?.workers ?? [],
        backends: readBackends(manifest.settings),
        pods: cluster && { names: cluster.pods.map(({ name }) => name), podOf, logged },
      }),
      logs,
      cluster,
    },
    {
      throttling: { ...throttling, target: throttling.target ?? measurePodThrottling(cluster) },
      clock: measureClockSkew(told),
      trustsAnyCluster: records.events.some(({ kind }) => kind === 'cluster-trusts-anyone'),
      logsEnded: records.events
        .filter(({ kind }) => kind === 'log-ended')
        .map(({ message }) => String(message)),
      warmUp:
        /** @type {import('../facts/quality.d.ts').WarmUp | undefined} */ (
          records.events.find(({ kind }) => kind === 'warm-up')
        ) ?? null,
      torn: records.torn,
      waitsLost: records.segments
        .filter(({ kind }) => kind === 'waits-lost')
        .map(({ reason }) => String(reason)),
      totalRequests: windows.length > 0 ? countOfGenerator(records.load.tests) : null,
    },
  );
  return {
    report,
    profile,
    serverPid: manifest.profile?.rootPid ?? manifest.profile?.masterPid ?? null,
    colors: analysed?.colors ?? null,
  };
}

/**
 * A report of loose files: an Artillery JSON and/or profiles.
 * @param {string[]} files
 * @param {{rulesFile?: string | null}} [options]
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} PROFILE_…, ARTILLERY_JSON_BROKEN, REPORT_TWO_LOADS, RULES_…
 */
export async function analyseFiles(files, { rulesFile = null } = {}) {
  /** @type {{load: import('../facts/load-report.d.ts').LoadReport, timeline: Report['timeline']} | null} */
  let artillery = null;
  /** @type {Profile[]} */
  const profiles = [];
  for (const file of files) {
    if ((await detectFile(file)) !== 'artillery-json') profiles.push(await readProfile(file));
    else if (artillery) throw new LoadflameError('REPORT_TWO_LOADS', { file });
    else {
      const json = readArtillery(file, 'ARTILLERY_JSON_BROKEN');
      artillery = { load: importArtillery(json), timeline: buildPeriodTimeline(json) };
    }
  }
  const load = artillery?.load ?? null;
  const [only] = profiles;
  const profile = profiles.length > 1 ? mergeProfiles(profiles) : (only ?? null);
  const analysed =
    profile &&
    buildProfileReport({
      profile,
      rules: await loadRules(rulesFile),
      source: describeFiles(files),
    });
  const run = {
    id: `import of ${describeFiles(files)}`,
    kind: /** @type {const} */ ('import'),
    status: /** @type {const} */ ('complete'),
    reasons: [],
    startedAtMs: load?.window.startMs ?? null,
    endedAtMs: load?.window.endMs ?? null,
    target: null,
    command: null,
    script: null,
    versions: { loadflame: describeVersions().loadflame ?? '' },
    host: null,
    settings: [],
    files: [],
  };
  const report = assemble(
    {
      run,
      load,
      cpu: analysed?.cpu ?? null,
      profile: analysed?.report ?? null,
      timeline: artillery?.timeline ?? null,
      costs: analysed?.costs ?? null,
      taskWorkers: null,
      balance: null,
      logs: null,
      cluster: null,
    },
    NOTHING_BESIDES,
  );
  return { report, profile, serverPid: null, colors: analysed?.colors ?? null };
}

/** What was recorded in pods is not of the machine that looked at itself meanwhile. @param {import('./read-run.js').RunRecords} records */
function withoutHost(records) {
  const isOfPods = records.segments.some(({ kind, pods }) => kind === 'recording-start' && pods);
  if (!isOfPods) return records;
  return { ...records, processes: records.processes.filter(({ kind }) => kind !== 'host') };
}

/** @param {Record<string, any>[]} samples @returns {import('../facts/estimate.d.ts').TimeRange | null} */
function spanOf(samples) {
  const times = samples.map(({ t }) => Number(t));
  return times.length > 0 ? { startMs: least(times), endMs: most(times) } : null;
}

/**
 * What is known of a recording beside its stacks.
 * @param {import('./read-run.js').RunRecords} records
 * @param {import('../facts/load-report.d.ts').LoadReport | null} load
 * @param {Pick<import('./profile/profile-report.js').Recording, 'window' | 'windows' | 'segments'>} scope
 * @param {string | null} rulesFile
 */
async function gatherRecorded(records, load, scope, rulesFile) {
  const rules = await loadRules(rulesFile);
  // A second start is another recorder that took over.
  const start = records.segments.find(({ kind }) => kind === 'recording-start');
  return {
    rules,
    beside: {
      ...scope,
      cpuOf: createCpuReader(records.processes, scope.windows),
      records: records.segments,
      areLinesRead: records.calls.length > 0,
      viewRoutes: /** @type {any[]} */ (records.calls.filter(({ kind }) => kind === 'route')),
      masterPid: records.manifest.profile?.masterPid ?? null,
      processes: measureProcesses(records.processes, scope.windows),
      threads: measureThreads(records.processes, scope.windows),
      threadClock: createThreadClock(findSampling(records.segments), records.processes),
      host: measureHost(records.processes, scope.windows),
      requests: load ? load.http.responses : null,
      idleCores: measureIdle(records.processes, Number(start?.t ?? -Infinity), load?.windows ?? []),
      stall: load?.stall ?? null,
      waits: await readRunWaits(records, scope.windows, rules),
    },
  };
}

/**
 * @param {Pick<Report, 'run' | 'load' | 'cpu' | 'profile' | 'timeline' | 'costs' | 'taskWorkers' | 'balance' | 'logs' | 'cluster'> & {bySecond?: Report['timeline']}} measured
 * @param {import('./quality/index.js').QualityData} data
 * @returns {Report}
 */
function assemble(measured, data) {
  const { load } = measured;
  // A run that is not valid says nothing of the target under load.
  const isInvalid = load !== null && findInvalid(load) !== null;
  const bottleneck =
    load && !isInvalid
      ? findBottleneck(gatherRunFacts({ ...measured, load, throttling: data.throttling }))
      : null;
  const whatIf = isInvalid ? [] : estimateWhatIf({ ...measured, bottleneck });
  const facts = { ...measured, bottleneck, whatIf };
  const quality = judgeQuality(facts, data);
  const findings = rankFindings(collectFindings({ ...facts, throttling: data.throttling }));
  // That there is none is not told where a finding says the opposite.
  const isRefuted = bottleneck?.id === 'none' && !findings.some(({ id }) => id === 'bottleneck');
  const told = { ...facts, bottleneck: isRefuted ? null : bottleneck, findings };
  return {
    schema: 'loadflame-report/2',
    generator: { name: 'loadflame', version: describeVersions().loadflame ?? '' },
    createdAtMs: Date.now(),
    run: facts.run,
    verdict: judge(told),
    findings,
    bottleneck: told.bottleneck,
    whatIf: facts.whatIf,
    load: facts.load,
    cpu: facts.cpu,
    profile: facts.profile,
    timeline: facts.timeline,
    costs: facts.costs,
    taskWorkers: facts.taskWorkers,
    balance: facts.balance,
    quality,
    reliability: judgeReliability(quality),
    logs: facts.logs,
    cluster: facts.cluster,
  };
}

/** The generator's own count of requests over all load tests. @param {import('./load/load-totals.js').LoadTest[]} tests */
function countOfGenerator(tests) {
  const counts = tests.map(({ end }) => end?.counters?.['http.requests']);
  return counts.every(count => typeof count === 'number')
    ? counts.reduce((sum, n) => sum + n, 0)
    : null;
}

/** @param {string[]} files */
function describeFiles(files) {
  return files.map(file => path.basename(file)).join(', ');
}
