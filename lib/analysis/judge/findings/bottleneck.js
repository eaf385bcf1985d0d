/** The bottleneck, how much the workers can serve, and how the work spreads. */
import { countWorkers } from '../../bottleneck/count-workers.js';
import { THRESHOLDS } from '../../bottleneck/thresholds.js';
import { findCapacity as estimateCapacity, isCpuBound } from '../../bottleneck/what-if.js';
import { isUnevenGroup } from '../bottleneck/gather-run.js';
import { finding } from '../statements.js';
import { findRepeatedCalls } from './calls.js';

/** @import { BottleneckId } from '../../../run/facts/bottleneck.d.ts' */
/** @import { Severity } from '../../../run/facts/statement.d.ts' */
/** @import { BalanceGroup } from '../../../run/facts/costs.d.ts' */
/** @import { Facts, FindingRule } from '../statements.js' */

/** They have a finding of their own. @type {ReadonlySet<BottleneckId>} */
const SHOWN_ELSEWHERE = new Set(['machine', 'quota', 'generator']);

/** @type {FindingRule} */
export function findBottleneckFinding(facts) {
  const { bottleneck } = facts;
  if (!bottleneck || SHOWN_ELSEWHERE.has(bottleneck.id)) return [];
  // Responses that get slower deserve a warning, whatever they wait for.
  const isQuiet = bottleneck.id === 'unknown' && bottleneck.facts.pressure?.id !== 'slower';
  const { why, areAlone = false } = bottleneck.facts;
  const isRemark = isQuiet || isOneRepeated(facts) || (why === 'waits' && areAlone);
  const severity = bottleneck.id === 'none' ? 'good' : isRemark ? 'info' : 'warn';
  const of = bottleneck.facts.why === 'backends' ? 'backends' : 'workers';
  if (bottleneck.id === 'imbalance' && findImbalance(facts).some(one => one.of === of)) return [];
  return [finding('bottleneck', severity, bottleneck, bottleneck.id)];
}

/**
 * The database limits, and most of the time in statements is that of one that each request repeats: that finding has its
 * line, and what one for all brings. No statement is slow by itself, and none waits for a lock. @param {Facts} facts
 */
function isOneRepeated(facts) {
  if (facts.bottleneck?.id !== 'database' || facts.bottleneck.facts.locking) return false;
  /** @type {any[]} */
  const repeated = findRepeatedCalls(facts).filter(({ severity }) => severity === 'warn');
  return repeated.some(own => own.facts.call.shareOfTotalMs >= THRESHOLDS.mostOfTime);
}

/** Requests per second at full CPU, now and without the causes. Only where CPU is the bottleneck. @type {FindingRule} */
export function findCapacity({ run, load, cpu, timeline = null, bottleneck = null, whatIf = [] }) {
  if (!load || !cpu || !isCpuBound(bottleneck)) return [];
  const capacityPerSec = estimateCapacity({ run, cpu, timeline });
  if (!capacityPerSec) return [];
  const without = whatIf.flatMap(({ titles, capacityAfterPerSec, gain }) =>
    capacityAfterPerSec && gain ? [{ titles, capacityPerSec: capacityAfterPerSec, gain }] : [],
  );
  const servedPerSec = load.http.meanRatePerSec;
  return [finding('capacity', 'info', { capacityPerSec, servedPerSec, without })];
}

/** Share of the mean: members below it did next to nothing. */
const IDLE = 0.1;
/** Users per member. Fewer users, each bound to a member by a cookie or a WebSocket, spread unevenly by chance. */
const FEW_USERS = 5;

/** Traffic that spreads unevenly over instances or workers. @type {FindingRule} */
export function findImbalance({ balance, load, cpu }) {
  const findings = [];
  const { backends = null, workers = null } = balance ?? {};
  // A cluster lists all its pods, so a single one needs no remark.
  if (backends?.members.length === 1 && !backends.isPods)
    findings.push(describe('backends', backends, 'info'));
  if (backends && load && isUnevenGroup(backends)) {
    const { basis, members, min, mean } = backends;
    const isKept = basis === 'sticky-cookie' || (load.socketio?.connects ?? 0) > 0;
    const isFew = isKept && load.users.created < FEW_USERS * members.length;
    const isIdle = min < mean * IDLE;
    if (isIdle || !isFew)
      findings.push(describe('backends', backends, isIdle && !isFew ? 'bad' : 'warn'));
  }
  const busiest = countWorkers(cpu?.workers ?? [])?.busiestCores ?? 0;
  if (workers && isUnevenGroup(workers) && busiest >= THRESHOLDS.busyWorker)
    findings.push(describe('workers', workers, 'warn'));
  return findings;
}

/** @param {'backends' | 'workers'} of @param {BalanceGroup} group @param {Severity} severity */
function describe(of, { basis, members, min, mean, max, isPods = false }, severity) {
  return finding('imbalance', severity, { of, isPods, basis, members, min, mean, max }, of);
}
