/** Whether the times of calls count more than the calls. */
import { isMachineFull, THRESHOLDS } from '../../../bottleneck/thresholds.js';

/** @import { GatheredFacts } from '../../../facts/bottleneck.d.ts' */
/** @import { CallsReport } from '../../../facts/calls.d.ts' */

/**
 * A call ends for the app when its worker gets round to the response: without idle CPU, its time is an upper bound. A
 * worker that serves one request at a time has nothing else to do meanwhile, and waits at most for a core.
 * @param {Pick<GatheredFacts, 'workers' | 'host'>} facts
 * @returns {CallsReport['bound']} null: not so, or not known
 */
export function findCallBound({ workers, host }) {
  if (!workers) return null;
  const cores = workers.cores / workers.processes;
  const { queuedShare = 1, leastWantedShare = 0 } = workers.wanting ?? {};
  const isFull = cores >= THRESHOLDS.cpuBoundCores || leastWantedShare >= THRESHOLDS.wantingThreads;
  if (isFull && workers.threads !== 1) return { by: 'workers', cores };
  const isStarved = isMachineFull(host) && queuedShare > THRESHOLDS.hardlyAnyTime;
  return isStarved ? { by: 'machine', cores } : null;
}
