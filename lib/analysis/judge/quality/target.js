/** Reasons for doubt outside of load generator and profiler. */
import { listPresent } from '../../../base/files/maps.js';
import { sum } from '../../../base/math/summary.js';
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';
import { MUCH_IDLE } from '../../profile/idle-cpu.js';
import { totalLengthMs } from '../../read/load/load-totals.js';
import { qualityItem } from '../statements.js';

/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { Throttling } from '../../profile/throttling.js' */
/** @import { QualityData } from '../statements.js' */
/** @import { QualityItem } from '../../../run/facts/quality.d.ts' */

/** Beyond this, times of two machines can't be compared to the second. */
const CLOCKS_APART_MS = 1000;
/** Share of the load's time. Above it, p99 shows requests that waited for the next period of the quota. */
const MUCH_HELD = 0.01;

/**
 * @param {Pick<Report, 'run' | 'load' | 'logs'> & Partial<Pick<Report, 'cpu' | 'resources' | 'calls' | 'costs' | 'profile'>>} facts
 * @param {QualityData} data
 * @returns {QualityItem[]}
 */
export function judgeTarget(facts, { throttling, logsEnded }) {
  return listPresent(
    ...judgeMachine(facts),
    judgeIdle(facts),
    judgeCalls(facts),
    ...judgeThrottling(throttling, facts.load),
    facts.run.mergedFrom && judgeMerged(facts.run.mergedFrom),
    ...logsEnded.map(message => qualityItem('log-ended', 'warn', { message })),
    ...judgeLogs(facts.logs),
  );
}

/** What could not be checked has not passed. @param {Pick<Report, 'load'> & Partial<Pick<Report, 'resources' | 'bottleneck'>>} facts */
function judgeMachine({ load, resources, bottleneck }) {
  if (!load) return [];
  const { host = null, generatorCores = null } = resources ?? {};
  const isChecked = { generator: load.generator !== null, machine: host !== null };
  const parts = /** @type {const} */ (['generator', 'machine']);
  const unchecked = parts.filter(part => !isChecked[part]);
  const isDoubt = bottleneck?.facts.isCpuDoubt ?? true;
  const isFull = host !== null && generatorCores !== null && isMachineFull(host) && isDoubt;
  return listPresent(
    unchecked.length > 0 && qualityItem('not-checked', 'warn', { unchecked, engine: load.engine }),
    isFull && qualityItem('full-machine', 'warn', { hostCores: host.cores, cpus: host.cpus }),
  );
}

/** Cores per worker. Below this, idle CPU may be a large part of a request's apparent cost. */
const LITTLE_CORES = 0.1;
/** Share of the CPU time during the load from which idle CPU gets a line. */
const IDLE_WORTH_SAYING = 0.01;

/** @param {Pick<Report, 'load'> & Partial<Pick<Report, 'cpu'>>} facts */
function judgeIdle({ load, cpu }) {
  if (!load || cpu?.basis !== 'process-cpu' || !cpu.workersMs || !cpu.cores) return null;
  const { idleCores: cores, processes } = cpu;
  const isLittle = cpu.cores < LITTLE_CORES * (processes ?? 1);
  if (!cores) return isLittle && qualityItem('idle-unknown', 'warn', { cores: cpu.cores });
  const share = (cores.value * totalLengthMs(load.windows)) / cpu.workersMs;
  if (share < IDLE_WORTH_SAYING) return null;
  const { requests, workersMs, perRequest: whole } = cpu;
  const costAt = (/** @type {number | null} */ idle) =>
    Math.max(0, workersMs - (idle ?? 0) * totalLengthMs(load.windows)) / (requests ?? Infinity);
  const perRequest =
    whole && share > MUCH_IDLE
      ? { value: whole.value, low: costAt(cores.high), high: costAt(cores.low) }
      : null;
  return qualityItem('idle-cpu', perRequest ? 'warn' : 'ok', { cores, share, perRequest });
}

/** Whether the companion counted calls. None in any response is no proof that there were none. @param {Partial<Pick<Report, 'calls' | 'costs' | 'profile'>>} facts */
function judgeCalls({ calls, costs, profile }) {
  const own = (costs?.endpoints ?? []).filter(({ basis }) => basis === 'companion');
  const responses = sum(own.map(({ requests }) => requests ?? 0));
  const isCounted = calls && calls.statements.length + calls.more.count + calls.unreadable > 0;
  if (responses === 0 || isCounted) return null;
  const states = [...(profile?.categories ?? []), ...(profile?.waits?.kinds ?? [])];
  const isSeen = (/** @type {string[]} */ ...ids) =>
    states.some(({ id, share }) => ids.includes(id) && share.value > 0);
  const seen = isSeen('database')
    ? 'database'
    : isSeen('http-client', 'external-call')
      ? 'service'
      : null;
  return qualityItem('no-calls', seen ? 'warn' : 'ok', { responses, seen });
}

/** @param {Throttling} throttling @param {Report['load']} load */
function judgeThrottling(throttling, load) {
  const muchMs = totalLengthMs(load?.windows ?? []) * MUCH_HELD;
  return /** @type {const} */ (['generator', 'target']).flatMap(role => {
    const found = throttling[role];
    if (!found) return [];
    const isOften =
      role === 'generator' ? found.throttledMs > muchMs : found.share > THRESHOLDS.throttledOften;
    return [qualityItem(`throttled-${role}`, isOften ? 'warn' : 'ok', { ...found, isOften })];
  });
}

/** The clocks agree now, if the way to align them is known. @param {NonNullable<Report['run']['mergedFrom']>} mergedFrom */
function judgeMerged({ clock }) {
  const isDoubtful = clock.from === 'unknown' || (clock.uncertaintyMs ?? 0) > CLOCKS_APART_MS;
  return qualityItem('merged-clock', isDoubtful ? 'warn' : 'ok', clock);
}

/** @param {Report['logs']} logs */
function judgeLogs(logs) {
  return (logs?.sources ?? []).flatMap(({ name, leftOut, records, aheadMs }) =>
    listPresent(
      aheadMs !== null && qualityItem('log-clock', 'warn', { name, aheadMs }),
      leftOut > 0 && qualityItem('log-left-out', 'ok', { name, records, leftOut }),
    ),
  );
}
