/** Whether the times of calls count more than the calls. */
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';

/** @import { GatheredFacts } from '../../../run/facts/bottleneck.d.ts' */
/** @import { CallsReport } from '../../../run/facts/calls.d.ts' */
/** @import { ProfileReport } from '../../../run/facts/profile-report.d.ts' */

/**
 * A call ends for the app when its worker gets round to the response: without idle CPU, its time is an upper bound. A
 * worker that serves one request at a time has nothing else to do meanwhile, and waits at most for a core.
 * @param {Pick<GatheredFacts, 'workers' | 'host' | 'requestCpu'> & Partial<Pick<GatheredFacts, 'inFlight' | 'waits'>>} facts
 * @returns {CallsReport['bound']} null: not so, or not known
 */
export function findCallBound({ workers, host, requestCpu, inFlight = null, waits = null }) {
  if (!workers) return null;
  const cores = workers.cores / workers.processes;
  const { leastWantedShare = 0 } = workers.wanting ?? {};
  const { queuedMs = null, responseMs = 0 } = requestCpu ?? {};
  const isFull = cores >= THRESHOLDS.cpuBoundCores || leastWantedShare >= THRESHOLDS.wantingThreads;
  if (isFull && workers.threads !== 1) return { by: 'workers', cores };
  // Threads that wait for a core longer than requests are inside the server wait all of that time.
  const isKnown = queuedMs !== null && (requestCpu?.isInside !== false || inFlight === null);
  // While an event loop waits for a core, all requests inside wait for it.
  const inside = waits?.slots === null ? (inFlight?.inside ?? 1) / workers.processes : 1;
  const isShort =
    isKnown && queuedMs * Math.max(1, inside) <= responseMs * THRESHOLDS.hardlyAnyTime;
  return isMachineFull(host) && !isShort ? { by: 'machine', cores } : null;
}

/** Waits that end for a request when its worker gets round to the response. */
const ANSWERED = ['database', 'external-call'];

/** The same profile, whose waits for responses are upper bounds. @template {ProfileReport | null} P @param {P} profile */
export function boundWaits(profile) {
  if (!profile?.waits) return profile;
  const kinds = profile.waits.kinds.map(one => ({ ...one, isBound: ANSWERED.includes(one.id) }));
  return { ...profile, waits: { ...profile.waits, kinds } };
}
