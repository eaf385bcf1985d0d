import { sum } from '../../base/math/summary.js';
import { describeVersions } from '../../run/host.js';
import { ofKind } from '../../run/ndjson.js';
import { findBottleneck } from '../bottleneck/find-bottleneck.js';
import { estimateWhatIf } from '../bottleneck/what-if.js';
import { measureBalance, readBackends } from '../load/balance.js';
import { countExplicit } from '../load/collections.js';
import { findPartialReasons } from '../load/partial-reasons.js';
import { measurePodThrottling, measureThrottling } from '../profile/throttling.js';
import { boundWaits, findCallBound, markPooled } from './bottleneck/call-bound.js';
import { gatherRunFacts } from './bottleneck/gather-run.js';
import { collectFindings } from './findings/index.js';
import { judgeQuality, judgeReliability } from './quality/index.js';
import { findInvalid } from './quality/validity.js';
import { judge as judgeVerdict } from './verdict/judge.js';
import { rankFindings } from './verdict/trust.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { RunLoad } from '../load/analyse-load.js' */
/** @import { RunRecording } from '../profile/analyse-recording.js' */
/** @import { RunRead } from '../read/read-folder.js' */
/** @import { RunRecords } from '../read/read-run.js' */
/** @import { QualityData } from './statements.js' */

/**
 * Last stage of an analysis: what limits the run, what stands out, and how far to trust it.
 * @param {Pick<RunRead, 'records' | 'scope'>} read
 * @param {RunLoad} loaded
 * @param {RunRecording['facts'] & Pick<Report, 'calls'>} recorded
 * @returns {Report}
 */
export function judgeRun({ records, scope }, { load, logs, podOf, cluster }, recorded) {
  const { events, segments, manifest, load: totals } = records;
  const throttling = measureThrottling(records.processes, scope.windows);
  const [warmUp = null] = ofKind(events, 'warm-up');
  const balance = measureBalance({
    counts: totals,
    workers: recorded.cpu?.workers ?? [],
    backends: readBackends(manifest.settings),
    pods: cluster && { names: cluster.pods.map(({ name }) => name), podOf },
  });
  return judge(
    { run: describeRun(records), load, ...recorded, balance, logs, cluster },
    {
      throttling: { ...throttling, target: throttling.target ?? measurePodThrottling(cluster) },
      trustsAnyCluster: events.some(({ kind }) => kind === 'cluster-trusts-anyone'),
      logsEnded: ofKind(events, 'log-ended').map(({ message }) => String(message)),
      warmUp,
      front: manifest.profile?.front ?? null,
      torn: records.torn,
      waitsLost: ofKind(segments, 'waits-lost').map(({ reason }) => reason),
      totalRequests:
        load && load.windows.length > 0 && !totals.window ? countOfGenerator(totals.tests) : null,
    },
  );
}

/** @param {RunRecords} records @returns {Report['run']} */
function describeRun(records) {
  const { id, kind, startedAtMs, endedAtMs, target, mergedFrom } = records.manifest;
  const { command, script, versions, packages, host, settings } = records.manifest;
  const isExpected = (/** @type {string} */ id) => records.isProvisional && id === 'load-running';
  const reasons = findPartialReasons(records).filter(({ id }) => !isExpected(id));
  const times = { startedAtMs, endedAtMs };
  /** @type {Report['run']['status']} */
  const status = reasons.length > 0 ? 'partial' : 'complete';
  const run = { id, kind, status, reasons, ...times, target, command, script, versions, host };
  return {
    ...run,
    ...(mergedFrom && { mergedFrom }),
    ...(packages && { packages }),
    settings,
    files: [],
  };
}

/**
 * @param {Pick<Report, 'run' | 'load' | 'calls' | 'cpu' | 'profile' | 'timeline' | 'costs' | 'resources' | 'taskWorkers' | 'balance' | 'logs' | 'cluster'>} parts
 * @param {QualityData} data
 * @returns {Report}
 */
export function judge(parts, data) {
  const recorded = countExplicit(parts);
  const { load } = recorded;
  // An invalid run shows nothing about the target under load.
  const isInvalid = load !== null && findInvalid(load) !== null;
  const gather = (/** @type {typeof recorded} */ of) =>
    load && gatherRunFacts({ ...of, load, throttling: data.throttling, front: data.front });
  const found = gather(recorded);
  const made = recorded.calls?.statements.map(own => own.function);
  const bound = found && findCallBound(found, made);
  const measured = bound ? { ...recorded, profile: boundWaits(recorded.profile) } : recorded;
  const gathered = bound ? gather(measured) : found;
  const bottleneck = gathered && !isInvalid ? findBottleneck(gathered) : null;
  const pooled = markPooled(measured.calls ?? null, measured.profile);
  const calls = pooled && { ...pooled, ...(bound && { bound }) };
  const whatIf = isInvalid ? [] : estimateWhatIf({ ...measured, bottleneck });
  const facts = { ...measured, calls, bottleneck, whatIf };
  const quality = judgeQuality(facts, data);
  const findings = rankFindings(collectFindings({ ...facts, throttling: data.throttling }));
  // `none` does not stand where a finding contradicts it.
  const isRefuted = bottleneck?.id === 'none' && !findings.some(({ id }) => id === 'bottleneck');
  const judged = { ...facts, bottleneck: isRefuted ? null : bottleneck, findings };
  return {
    schema: 'loadflame-report/2',
    generator: { name: 'loadflame', version: describeVersions().loadflame ?? '' },
    createdAtMs: Date.now(),
    ...judged,
    verdict: judgeVerdict(judged),
    quality,
    reliability: judgeReliability(quality),
  };
}

/** The generator's own request count over all load tests. @param {import('../read/load/load-totals.js').LoadTest[]} tests */
function countOfGenerator(tests) {
  const counts = tests.map(({ end }) => end?.counters?.['http.requests']);
  return counts.every(count => typeof count === 'number') ? sum(counts) : null;
}
