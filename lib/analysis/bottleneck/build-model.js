/** Builds the model of a run's requests from its facts. */
import { sum } from '../../base/math/summary.js';
import { countRequests, GENERATOR_SEC, isOfThreads, MORE_IN_IDLE } from './resources.js';
import { ANY, solve } from './solve-model.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { BottleneckFacts, BottleneckId } from '../../run/facts/bottleneck.d.ts' */
/** @import { RequestState } from '../../run/facts/profile-report.d.ts' */
/** @import { Model } from './solve-model.js' */

/** @typedef {'low' | 'value' | 'high'} End of an interval */

/** Shared resources, and the state of requests that wait for them. @type {Partial<Record<BottleneckId, RequestState>>} */
export const SHARED = { lock: 'lock', pool: 'pool', consumer: 'lock' };
/** @type {BottleneckId[]} */
export const OUTSIDE = ['database', 'external-call', 'child-process'];
/** @type {BottleneckId[]} */
export const CPU = ['workers', 'gil'];
/** @type {RequestState[]} */
const RUNS = ['cpu', 'gil'];
/** Waits in saturated workers. Other states may hide a wait for the GIL. @type {RequestState[]} */
const WAITS = ['database', 'external-call', 'child-process', 'lock', 'pool', 'queue', 'sleep'];
/** Share of the measured throughput that the model may fall short of. */
const SHORT_OF = 0.25;
/** Share of users in transit: fewer may be a sampling error. */
const ON_THE_WAY = 0.15;
/** The number of holders is whole: a mean this close to a whole number is rounded. */
const NEAR_WHOLE = 0.25;
/** Part of the way from what one thread of a worker wants to what all do one after the other: the truth is between them. */
const MORE_WANTED = { low: 0.75, value: 0.5, high: 0 };
/** Part of the suspended requests that wait for something else than the blocked loop. It is not known. */
const NOT_FOR_LOOP = { low: 1, value: 0.5, high: 0 };
/** @type {Record<End, End>} */
const OPPOSITE = { low: 'high', value: 'value', high: 'low' };

/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {End} [end] of the interval of the share of requests that queue for it
 * @returns {Model | null}
 */
export function buildModel(id, facts, end = 'value') {
  const { pressure, waits, loopWaits, workers, host, throughputPerSec, served, fullPool } = facts;
  const isCpu = CPU.includes(id);
  const running = countRunning(isCpu, facts, end);
  const counted = id === 'pool' || !waits ? fullPool : null;
  const isSampled = id === 'pool' && isOfSamples(facts);
  const seen = waits?.busyThreads ?? served?.count ?? running;
  // On a busy machine, samples show fewer requests than the companion counts.
  const begun = loopWaits || isCpu ? seen : Math.max(seen, facts.inFlight?.inside ?? 0);
  const isClosed = pressure?.id === 'waiting';
  if (!isClosed && !facts.isSaturated) return null;
  if (!begun || !workers || !throughputPerSec) return null;
  const users = isClosed ? pressure.facts.users : ANY;
  // If no worker has a free slot, users outside are in a queue. Otherwise they are in transit.
  const ofWorker = (waits?.slots ?? ANY) / workers.processes;
  // The companion counts those, too, whose requests samples do not show.
  const isEachTaken =
    fullPool?.kind === 'gthread' ||
    (waits?.busySlotsOfFullest ?? 0) >= ofWorker * THRESHOLDS.fullSlots;
  const areAllTaken = isEachTaken || isCpu || !waits || loopWaits !== null || served != null;
  const asking = isClosed ? users * pressure.facts.share : begun;
  // The companion counts those that wait for a thread of their worker.
  const queuing = sum((facts.pools ?? []).filter(isOfThreads).map(({ waiting }) => waiting));
  const outside = areAllTaken || !isClosed ? 0 : asking - begun - queuing;
  const onTheWay = outside > users * ON_THE_WAY ? outside : 0;
  const { slots = null, busySlots = 0, suspended = null } = waits ?? {};
  // Beside an event loop, only some requests take a thread, unless all threads are in use.
  const areSlotsFull = busySlots >= (slots ?? 1) * THRESHOLDS.fullSlots;
  // A kept connection stays with its worker, so workers with fewer users leave threads idle. A restart spreads
  // connections again: at the low end one worker gets all of them, at the high end all get as many.
  const isKept = isClosed && facts.keepsConnections === true;
  const reached = isKept && end === 'low' ? 1 / Math.max(1, Math.round(workers.processes)) : 1;
  const isUneven = isKept && end === 'value' && isEachTaken && !areSlotsFull;
  const usable = isUneven ? Math.round(busySlots) : slots && slots * reached;
  const inside = begun + outside - onTheWay;
  const wanted = isCpu ? workers.cores : measureWanted(facts, end);
  const queued = counted
    ? Math.min(counted.waiting, Math.max(0, inside - (counted.inUse ?? 0)))
    : inside * measureQueued(id, facts, end);
  // Samples take a call in C for CPU, too; in a counted pool, all time but the CPU itself is a wait.
  const waiting = loopWaits
    ? countBlocking(loopWaits.share, facts, end)
    : inside - (counted ? wanted : running) - queued + countKept(id, facts);
  const perRequest = (/** @type {number} */ requests) => Math.max(0, requests) / throughputPerSec;
  const model = {
    users,
    thinkSec: isClosed ? perRequest(users - asking + onTheWay) : 0,
    slots: isSampled
      ? (fullPool?.capacity ?? null)
      : suspended === 0 || areSlotsFull
        ? usable
        : served && Math.max(served.count, waiting + wanted),
    inside,
    waitSec: perRequest(waiting),
    cpuSec: perRequest(wanted),
    stretch: wanted / workers.cores || 1,
    freeSec: 0,
    workers: Math.max(workers.processes, workers.cores) * reached,
    machineSec: perRequest(workers.cores + countBeside(id, facts)) + measureGenerator(facts, end),
    cpus: host?.cpus ?? ANY,
    sharedPerSec: SHARED[id] ? throughputPerSec : ANY,
    reached,
  };
  // Other users are in a queue.
  const queuedSec = perRequest(asking - onTheWay - waiting - wanted);
  const allowed = solve({ ...model, thinkSec: model.thinkSec + queuedSec });
  return end === 'value' && allowed < throughputPerSec * (1 - SHORT_OF) ? null : model;
}

/** CPU of the load generator for a request. It is mostly idle, too. @param {BottleneckFacts} facts @param {End} end */
const measureGenerator = ({ generatorCores, throughputPerSec }, end) =>
  Math.min((generatorCores ?? 0) / (throughputPerSec ?? ANY), GENERATOR_SEC) /
  (end === 'high' ? 1 + MORE_IN_IDLE.high : 1);

/** Cores of programs that work for requests, without those that a fix makes quicker. @param {BottleneckId} id @param {BottleneckFacts} facts */
const countBeside = (id, { childCores, serviceCores }) =>
  (id === 'child-process' ? 0 : (childCores ?? 0)) +
  (OUTSIDE.includes(id) ? 0 : (serviceCores ?? 0));

/**
 * A blocked loop waits for one request while all others of its worker wait for the loop, or for something else.
 * @param {Estimate} share of the time in which it is blocked @param {BottleneckFacts} facts @param {End} end
 */
function countBlocking(share, { workers, waits }, end) {
  const blocked = (share[OPPOSITE[end]] ?? share.value) * (workers?.processes ?? 0);
  return blocked + (waits?.suspended ?? 0) * NOT_FOR_LOOP[end];
}

/** Samples show the threads of the full pool as the ones that serve requests. @param {BottleneckFacts} facts */
export const isOfSamples = ({ fullPool, waits }) => (fullPool?.kind ?? '') === waits?.poolOf;

/**
 * In cores, how long workers run or wait for a core: all the time, if they do more. At least as long as one thread, at most
 * as long as all.
 * @param {BottleneckFacts} facts @param {End} end
 */
function measureWanted({ workers, requestCpu, throughputPerSec }, end) {
  const { cores = 0, processes = 1, wanting } = workers ?? {};
  const least = Math.max(cores, (wanting?.leastWantedShare ?? 0) * processes);
  const queuing = ((requestCpu?.queuedMs ?? 0) * (throughputPerSec ?? 0)) / 1000;
  const most = Math.max(least, Math.min(processes, cores + queuing));
  return least * (most / least || 1) ** MORE_WANTED[end];
}

/**
 * Where the CPU limits, requests wait for the CPU unless another wait is known. What coroutines and greenlets wait for may
 * have ended long before a full loop resumes them: only at the low end it has not. A thread comes back from a call when it
 * gets the GIL, or a core: at the high end, the call itself took no time.
 * @param {boolean} isCpu @param {BottleneckFacts} facts @param {End} end
 */
function countRunning(isCpu, { waits, workers }, end) {
  if (!waits) return (isCpu && workers?.cores) || 0;
  if (isCpu && (waits.suspended ? end !== 'low' : end === 'high')) return waits.busyThreads;
  const all = waits.kinds.filter(({ id }) => (isCpu ? !WAITS.includes(id) : RUNS.includes(id)));
  return sum(all.map(({ id }) => countRequests(waits, id)));
}

/**
 * Requests that queue do no work: for a thread, for the lock, or behind a lock whose holder waits for a connection.
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {End} end
 * @returns {number} share of the requests inside
 */
function measureQueued(id, { waits, why, longestWait }, end) {
  const shared = SHARED[id];
  const { kinds = [], holders } = waits ?? {};
  const queues = kinds.filter(
    ({ id: kind }) =>
      kind === 'thread-pool' ||
      (id === 'consumer' && kind === (why === 'task' ? longestWait?.kind : 'queue')) ||
      kind === shared ||
      (shared && holders?.doing.id === shared && kind === holders.of),
  );
  return Math.min(1, sum(queues.map(one => one.share[end] ?? one.share.value)));
}

/**
 * Correction to the number of requests that do work: the threads that work for waiting requests, or what rounds the
 * number of holders to a whole number.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 */
function countKept(id, { waits }) {
  // One or more do the work, in a process perhaps.
  if (id === 'consumer') return Math.max(waits?.background?.threads ?? 0, 1);
  const { of, threads = 0 } = waits?.holders ?? {};
  const whole = Math.round(threads);
  return of === id && whole >= 1 && Math.abs(whole - threads) <= NEAR_WHOLE ? whole - threads : 0;
}
