/** Whether the times of calls count more than the calls. */
import { sum } from '../../../base/math/summary.js';
import { coresOfPython, shareBlocked } from '../../bottleneck/resources.js';
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';

/** @import { GatheredFacts } from '../../../run/facts/bottleneck.d.ts' */
/** @import { CallsReport, StatementName } from '../../../run/facts/calls.d.ts' */
/** @import { ProfileReport, WaitPlace } from '../../../run/facts/profile-report.d.ts' */

/**
 * A call ends for the app when its worker gets round to the response: without idle CPU, its time is an upper bound. A
 * worker that serves one request at a time has nothing else to do meanwhile, and waits at most for a core. While a call
 * blocks an event loop, no other one ends; that call itself takes its time.
 * @param {Pick<GatheredFacts, 'workers' | 'host' | 'requestCpu'> & Partial<Pick<GatheredFacts, 'inFlight' | 'waits' | 'loopWaits' | 'paths'>>} facts
 * @param {(string | null)[]} [made] functions that make calls
 * @returns {CallsReport['bound']} null: not so, or not known
 */
export function findCallBound(facts, made = []) {
  const { workers, host, requestCpu, loopWaits = null, inFlight = null, waits = null } = facts;
  if (!workers) return null;
  const cores = coresOfPython({ ...facts, workers }) / workers.processes;
  const isBlocked = shareBlocked({ loopWaits, workers }) >= THRESHOLDS.mostOfTime;
  const isOwn = made.some(one =>
    loopWaits?.where.some(at => `.${at.function}`.endsWith(`.${one}`)),
  );
  if (isBlocked && !isOwn) return { by: 'loop', cores };
  const { leastWantedShare = 0 } = workers.wanting ?? {};
  const { cpuMs = 0, queuedMs = null, responseMs = 0 } = requestCpu ?? {};
  const isFull = cores >= THRESHOLDS.cpuBoundCores || leastWantedShare >= THRESHOLDS.wantingThreads;
  if (isFull && workers.threads !== 1) return { by: 'workers', cores };
  // Threads that wait for a core longer than requests are inside the server wait all of that time.
  const isKnown = queuedMs !== null && (requestCpu?.isInside !== false || inFlight === null);
  // While an event loop waits for a core, all requests inside wait for it.
  const each = waits?.slots === null ? (inFlight?.inside ?? 1) / workers.processes : 1;
  const isShort = isKnown && queuedMs * Math.max(1, each) <= responseMs * THRESHOLDS.hardlyAnyTime;
  // What the kernel counted of a request can't be a wait for a response, too.
  const waiting = sum(waits?.kinds.filter(isAnswered).map(own => own.share.low ?? 0) ?? []);
  const isTwice = isKnown && waiting + (cpuMs + queuedMs) / responseMs > 1;
  return (isMachineFull(host) && !isShort) || isTwice ? { by: 'machine', cores } : null;
}

/**
 * The companion times a call with the wait for a free connection of its client, unless it counts that by itself. Samples
 * of the same line show how much that is.
 * @template {CallsReport | null} C @param {C} calls @param {ProfileReport | null} profile @returns {C}
 */
export function markPooled(calls, profile) {
  const kinds = profile?.waits?.kinds ?? [];
  const [pool, made] = ['pool', 'external-call'].map(id => kinds.find(kind => kind.id === id));
  if (!calls || !pool) return calls;
  const { poolMs, serverMs } = calls.whole;
  if (poolMs.mean >= pool.share.value * THRESHOLDS.mostOfTime * (serverMs ?? Infinity))
    return calls;
  const at = (/** @type {typeof pool | undefined} */ kind, /** @type {StatementName} */ one) => {
    const isOwn = (/** @type {WaitPlace} */ own) => own.line === one.line && own.file === one.file;
    return (kind?.share.value ?? 0) * (kind?.where.find(isOwn)?.share ?? 0);
  };
  const statements = calls.statements.map(one => {
    const poolShare = at(pool, one) / (at(pool, one) + at(made, one));
    const isPart = one.kind === 'http' && poolShare >= THRESHOLDS.hardlyAnyTime;
    return isPart ? { ...one, poolShare } : one;
  });
  return { ...calls, statements };
}

/** Waits that end for a request when its worker gets round to the response. */
const isAnswered = (/** @type {{id: string}} */ { id }) =>
  ['database', 'external-call'].includes(id);

/** The same profile, whose waits for responses are upper bounds. @template {ProfileReport | null} P @param {P} profile */
export function boundWaits(profile) {
  if (!profile?.waits) return profile;
  const kinds = profile.waits.kinds.map(one => ({ ...one, isBound: isAnswered(one) }));
  return { ...profile, waits: { ...profile.waits, kinds } };
}
