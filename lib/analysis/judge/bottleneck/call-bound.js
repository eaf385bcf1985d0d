/** Whether the times of calls count more than the calls. */
import { isMachineFull, THRESHOLDS } from '../../../bottleneck/thresholds.js';
import { sum } from '../../../math/summary.js';
import { totalLengthMs } from '../../load/load-totals.js';

/** @import { GatheredFacts } from '../../../facts/bottleneck.d.ts' */
/** @import { CallsReport } from '../../../facts/calls.d.ts' */
/** @import { Report } from '../../../facts/report.d.ts' */
/** @typedef {Pick<Report, 'load' | 'calls' | 'costs'>} Reported */

/** Requests inside a worker at a time, mean: with fewer, none waits for another. */
const SEVERAL = 1.2;

/**
 * A call ends for the app when its worker gets round to the response: without idle CPU, its time is an upper bound. A
 * worker that serves one request at a time has nothing else to do meanwhile, and waits at most for a core.
 * @param {Pick<GatheredFacts, 'workers' | 'host'>} facts
 * @param {Reported} reported
 * @returns {CallsReport['bound']} null: not so, or not known
 */
export function findCallBound({ workers, host }, reported) {
  if (!workers) return boundByCompanion(reported);
  const cores = workers.cores / workers.processes;
  const { queuedShare = 1, leastWantedShare = 0 } = workers.wanting ?? {};
  const isFull = cores >= THRESHOLDS.cpuBoundCores || leastWantedShare >= THRESHOLDS.wantingThreads;
  if (isFull && workers.threads !== 1) return { by: 'workers', cores };
  const isStarved = isMachineFull(host) && queuedShare > THRESHOLDS.hardlyAnyTime;
  return isStarved ? { by: 'machine', cores } : null;
}

/** Without a profile: by what the companion measured of each request. @param {Reported} reported @returns {CallsReport['bound']} */
function boundByCompanion({ load, calls, costs }) {
  const workersMs = totalLengthMs(load?.windows ?? []) * (calls?.table.workers.length ?? 0);
  const rows = costs?.endpoints ?? [];
  const perWorker = (/** @type {(row: typeof rows[0]) => number} */ msOf) =>
    sum(rows.map(row => (row.requests ?? 0) * msOf(row))) / workersMs;
  const cores = perWorker(row => row.cpuMsPerRequest?.value ?? 0);
  const inside = perWorker(row => row.serverMsPerRequest ?? 0);
  return cores >= THRESHOLDS.cpuBoundCores && inside >= SEVERAL ? { by: 'workers', cores } : null;
}
