/** The bottleneck, what the workers can serve, and how the work spreads. */
import { countWorkers } from '../../../bottleneck/count-workers.js';
import { THRESHOLDS } from '../../../bottleneck/thresholds.js';
import { findCapacity as estimateCapacity, isCpuBound } from '../../../bottleneck/what-if.js';
import { isUnevenGroup } from '../bottleneck/gather-run.js';
import { finding } from '../statements.js';
import { explainUneven } from './why-uneven.js';

/** @import { BottleneckId, UnevenWhy } from '../../../facts/bottleneck.d.ts' */
/** @import { Severity } from '../../../facts/statement.d.ts' */
/** @import { BalanceGroup } from '../../../facts/costs.d.ts' */
/** @import { FindingRule } from '../statements.js' */

/** The others have a finding of their own. @type {Partial<Record<BottleneckId, Severity>>} */
const SEVERITY = {
  workers: 'warn',
  gil: 'warn',
  database: 'warn',
  'external-call': 'warn',
  slots: 'warn',
  pool: 'warn',
  lock: 'warn',
  imbalance: 'warn',
  none: 'good',
  unknown: 'info',
};

/** @type {FindingRule} */
export function findBottleneckFinding(facts) {
  const { bottleneck } = facts;
  const severity = bottleneck && SEVERITY[bottleneck.id];
  if (!severity) return [];
  const of = bottleneck.facts.why === 'backends' ? 'backends' : 'workers';
  const hasOwn = findImbalance(facts).some(one => one.of === of);
  if (bottleneck.id === 'imbalance' && hasOwn) return [];
  return [finding('bottleneck', severity, bottleneck, bottleneck.id)];
}

/** Requests per second at full CPU, now and without the causes: only where CPU is the bottleneck. @type {FindingRule} */
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

/** Of the mean: members with less did next to nothing. */
const IDLE = 0.1;

/** Traffic that does not spread over instances or workers. @type {FindingRule} */
export function findImbalance({ run, balance, load, cpu, cluster = null }) {
  const findings = [];
  const { backends = null, workers = null } = balance ?? {};
  // Of a cluster it is known that there are no others.
  if (backends?.members.length === 1 && !backends.isPods)
    findings.push(describe('backends', backends, 'info'));
  if (backends && load && isUnevenGroup(backends)) {
    const why = explainUneven(backends, { run, load, cluster });
    const isIdle = backends.min < backends.mean * IDLE;
    // Few users that stay where they are never spread evenly: that is worth a word where a pod got nothing.
    if (isIdle || why.id !== 'few-users') {
      const severity = isIdle && ['unknown', 'source'].includes(why.id) ? 'bad' : 'warn';
      findings.push(describe('backends', backends, severity, why));
    }
  }
  const busiest = countWorkers(cpu?.workers ?? [])?.busiestCores ?? 0;
  if (workers && isUnevenGroup(workers) && busiest >= THRESHOLDS.busyWorker)
    findings.push(describe('workers', workers, 'warn'));
  return findings;
}

/** @param {'backends' | 'workers'} of @param {BalanceGroup} group @param {Severity} severity @param {UnevenWhy | null} why */
function describe(
  of,
  { basis, members, min, mean, max, jain, isPods = false },
  severity,
  why = null,
) {
  const facts = { of, isPods, basis, members, min, mean, max, jain, why };
  return finding('imbalance', severity, facts, of);
}
