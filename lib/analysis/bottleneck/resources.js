/**
 * Resources that requests hold for part of their time while others wait. By the utilisation law (Denning and Buzen,
 * "The Operational Analysis of Queueing Network Models", 1978), c units of a resource, each request using one for
 * D seconds, allow c ÷ D requests per second.
 */

import { mapEstimate, scaleEstimate } from '../../base/math/intervals.js';
import { sum } from '../../base/math/summary.js';
import { countCalls } from '../load/pools.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, GatheredFacts, LongestWait, Resource } from '../../run/facts/bottleneck.d.ts' */
/** @import { PoolUse } from '../../run/facts/load-report.d.ts' */

/** Mean number of waiting or holding requests below which a resource gets no row. */
const WORTH_A_ROW = 0.05;

/** Mean number of waiting requests from which one nearly always waits. */
const ALWAYS_ONE = 1;

/** Two measurements of one thing differ by less. */
export const MEASURED_TWICE = 1.1;

/** Processes on the way of a request that wait for a core, such as the worker: the client and a proxy, each twice. */
const HOPS = 5;

/**
 * How much more CPU a request takes in an idle worker: threads wake up, and caches are cold; `beside`: other programs
 * that saturate the CPU. Measured with gunicorn and uvicorn (docs/bottlenecks.md).
 */
export const MORE_IN_IDLE = { low: 0, value: 0.4, beside: 1, high: 3 };

/** Most CPU seconds of the load generator per request, an assumption: at low rates most of its CPU has nothing to do with requests. */
export const GENERATOR_SEC = 0.0004;

/** @typedef {Pick<Resource, 'id' | 'capacity' | 'inUse' | 'queue'> & Partial<Resource>} Measured */

/**
 * @param {GatheredFacts} facts
 * @returns {Resource[]} in the order in which a request takes them
 */
export function listResources(facts) {
  const { throughputPerSec } = facts;
  return [measureSlots, measurePools, measureLoop, measureQueues, measureCalls, measureCpu].flatMap(
    measure => measure(facts).map(resource => complete(resource, throughputPerSec)),
  );
}

/** @param {Measured} measured @param {number | null} perSec @returns {Resource} */
function complete(measured, perSec) {
  // More in use than there is: what was counted as in use, or as its capacity, is not that. Of cores, the rest is C code
  // beside Python's, and how much more of it could run is not known.
  const isKnown = (measured.inUse ?? 0) <= (measured.capacity ?? Infinity) * MEASURED_TWICE;
  const capacity = isKnown ? measured.capacity : null;
  const inUse = measured.inUse && Math.min(measured.inUse, capacity ?? Infinity);
  const utilisation = capacity && inUse !== null ? inUse / capacity : null;
  const { mostPerSec = perSec && utilisation ? perSec / utilisation : null } = measured;
  const isReached = perSec !== null && perSec > (mostPerSec ?? Infinity) * MEASURED_TWICE;
  return {
    utilisation,
    demandMs: perSec && inUse !== null ? (1000 * inUse) / perSec : null,
    ...measured,
    ...{ capacity, inUse, mostPerSec: isReached || !isKnown ? null : mostPerSec },
    holders: measured.holders ?? null,
  };
}

/** @type {('lock' | 'pool')[]} */
const LOCK_AND_POOL = ['lock', 'pool'];

/** Requests in these states wait for another request. */
const QUEUED = ['lock', 'pool', 'queue'];

/** @param {GatheredFacts} facts @returns {Measured[]} */
function measureSlots({ waits, workers, inFlight, pools = [] }) {
  const isCounted = pools.some(pool => isOfThreads(pool) || pool.kind === waits?.poolOf);
  if (isCounted || (!waits?.slots && !waits?.poolThreads)) return [];
  // With a free thread, requests outside wait in front of the server.
  const isFull = areSlotsFull(waits) || areSlotsOfOneFull({ waits, workers });
  const queue = inFlight && isFull ? Math.max(0, inFlight.client - inFlight.inside) : null;
  return [{ id: 'slots', capacity: waits.slots, inUse: waits.busySlots, queue }];
}

/**
 * A lock or pool that is nearly always in use while requests wait is saturated, even if users pause between requests.
 * While it is passed on, no request holds it: with a long queue, less is enough.
 * @param {GatheredFacts} facts @param {string[]} [ids]
 */
export function isHeldAllTheTime(facts, ids = LOCK_AND_POOL) {
  return (
    facts.study === null &&
    facts.throughputPerSec !== null &&
    listResources(facts).some(({ id, capacity, utilisation, queue }) => {
      const each = (queue ?? 0) / (capacity ?? 1);
      const least = each >= THRESHOLDS.longQueue ? THRESHOLDS.nearlyAllTime : THRESHOLDS.fullLoop;
      return ids.includes(id) && (utilisation ?? 0) >= least && each >= ALWAYS_ONE;
    })
  );
}

/** Threads that serve requests. @param {PoolUse} pool */
export const isOfThreads = ({ kind }) => ['gthread', 'anyio', 'to_thread'].includes(kind);

/** @param {GatheredFacts} facts @returns {Measured[]} */
function measurePools({ pools = [] }) {
  return pools
    .filter(pool => countCalls(pool) >= WORTH_A_ROW)
    .map(pool => {
      const { kind: of, capacity, inUse, waiting: queue } = pool;
      return { id: isOfThreads(pool) ? 'slots' : 'pool', of, capacity, inUse, queue };
    });
}

/**
 * The innermost pool that is full while calls wait for it: requests may reach an outer one only later. Each request waits
 * for its calls, so there are no more of them than requests. Where there are, requests do not wait for this work.
 * @param {Pick<GatheredFacts, 'pools' | 'inFlight' | 'waits'>} facts
 * @returns {{fullPool: PoolUse | null, outerPool: PoolUse | null}} one of them: `outerPool` is full because its threads
 *   wait for, or hold, something inside it
 */
export function findFullPool({ pools = [], inFlight, waits }) {
  const requests = inFlight?.inside ?? waits?.busyThreads ?? 0;
  // Samples of a busy machine show fewer requests than the companion counts in the threads around the pool.
  const most = Math.max(requests, ...pools.filter(isOfThreads).map(({ inUse }) => inUse ?? 0));
  const full = pools.filter((pool, at) => {
    // Only those that have a place in an outer one reach the next.
    const around = pools.slice(0, at).map(({ inUse }) => inUse ?? Infinity);
    return (
      (pool.inUse ?? 0) >= (pool.capacity ?? Infinity) * THRESHOLDS.nearlyAllTime &&
      countCalls(pool) >= (pool.capacity ?? Infinity) + ALWAYS_ONE &&
      (isOfThreads(pool) || countCalls(pool) <= most * MEASURED_TWICE) &&
      countCalls(pool) >= Math.min(requests, ...around) * THRESHOLDS.mostOfTime
    );
  });
  const last = full.at(-1) ?? null;
  return isOuter(last?.inUse ?? 0, waits)
    ? { fullPool: null, outerPool: last }
    : { fullPool: last, outerPool: null };
}

/**
 * Most of those that have a place in a pool wait for another resource, or one of them holds what the others wait for: the
 * queue for the pool is one for that resource.
 * @param {number} places in use @param {GatheredFacts['waits']} waits
 */
function isOuter(places, waits) {
  const { of, threads = 0, waiting = 0 } = waits?.holders ?? {};
  const isInFront = findInner(waits) === null;
  if (isInFront && (of !== 'lock' || waiting < threads)) return false;
  const inside = threads + (isInFront ? waiting : 0);
  return inside >= places * THRESHOLDS.mostOfTime && inside <= places * MEASURED_TWICE;
}

/** What holders of something mostly wait for, if other requests hold that. @param {GatheredFacts['waits']} waits */
export function findInner(waits) {
  const { id = 'cpu', share = 0 } = waits?.holders?.doing ?? {};
  return QUEUED.includes(id) && share >= THRESHOLDS.mostOfTime ? id : null;
}

/** @param {NonNullable<GatheredFacts['waits']>} waits */
export const areSlotsFull = ({ slots, busySlots }) =>
  slots !== null && busySlots >= slots * THRESHOLDS.fullSlots;

/** @param {Pick<GatheredFacts, 'waits' | 'workers'>} facts */
export function areSlotsOfOneFull({ waits, workers }) {
  if (waits?.slots == null || workers?.threads == null) return false;
  return waits.busySlotsOfFullest >= workers.threads * THRESHOLDS.fullSlots;
}

/** A loop is in use while it calculates and while a call without `await` blocks it. @param {GatheredFacts} facts @returns {Measured[]} */
function measureLoop({ loopWaits, workers }) {
  if (!loopWaits || !workers) return [];
  const inUse = workers.cores + shareBlocked({ loopWaits, workers }) * workers.processes;
  return [{ id: 'loop', capacity: workers.processes, inUse, queue: null }];
}

/**
 * Share of the time in which a call blocks the loop: the kernel knows how long its thread ran or waited for a core. A
 * loop that hardly runs waits for its core where a call returns, so that is part of the call, if it is known to wait.
 * @param {Pick<GatheredFacts, 'loopWaits' | 'workers'>} facts
 */
export function shareBlocked({ loopWaits, workers }) {
  const cores = workers ? workers.cores / workers.processes : 0;
  const known = loopWaits?.where.filter(({ kind }) => kind !== null) ?? [];
  const called = cores < THRESHOLDS.hardlyAnyCores ? sum(known.map(({ share }) => share)) : 0;
  const most = 1 - cores - Math.min(queuedShare(workers), Math.max(0, 1 - cores - called));
  return Math.min(loopWaits?.share.value ?? 0, Math.max(0, most));
}

/** Share of its time that a worker waits for a core, at least. @param {GatheredFacts['workers']} workers */
export const queuedShare = workers => workers?.wanting?.queuedShare ?? 0;

/**
 * Share of the response time in which a request runs or waits for a core: all of it, if the workers, or the holder of the
 * GIL or of the lock that all others wait for, do so: then other requests wait for their turn, whatever they waited for
 * before. In front of idle threads, each process on the way may wait for a core as long as the worker.
 * @param {GatheredFacts} facts @param {boolean} isInFront most requests wait in front of idle threads
 */
export function shareOfCpu({ requestCpu, workers, waits, throughputPerSec, inFlight }, isInFront) {
  const each = workers ? workers.cores / workers.processes : 0;
  const wanted = workers?.wanting?.leastWantedShare ?? 0;
  if (each > THRESHOLDS.cpuBoundCores || wanted >= THRESHOLDS.wantingThreads) return 1;
  if (requestCpu?.queuedMs == null) return null;
  const wantMs = requestCpu.cpuMs + requestCpu.queuedMs;
  const { threads = workers?.processes ?? 1, doing } = waits?.holders ?? {};
  const queued = sum(QUEUED.map(kind => shareOf(waits, kind)));
  const isHolder = queued >= THRESHOLDS.mostOfTime && (doing?.id ?? 'cpu') === 'cpu';
  const wanting = (wantMs * (throughputPerSec ?? 0)) / 1000;
  if (isHolder && wanting / threads >= THRESHOLDS.nearlyAllTime) return 1;
  // Who waits for the GIL, or after a response for its worker, is not in the kernel's queue, but who runs may be.
  const turns = waits?.kinds.filter(({ id, isBound }) => id === 'cpu' || isBound) ?? [];
  const hasGil = sum(turns.map(({ share }) => share.value)) >= THRESHOLDS.mostOfTime;
  if (hasGil && wanting / (workers?.processes ?? 1) >= THRESHOLDS.nearlyAllTime) return 1;
  if (isInFront && inFlight) return Math.min(1, (HOPS * wanting) / inFlight.client);
  return Math.min(1, wantMs / requestCpu.responseMs);
}

/** Share of the workers' CPU time in C code, which may release the GIL. @param {GatheredFacts['paths']} paths */
export function shareInC(paths) {
  const inC = paths.filter(({ kind, file }) => kind === 'cpu' && file.startsWith('<C code'));
  return Math.min(1, sum(inC.map(({ share }) => share.value)));
}

/**
 * Cores that code of Python uses: a worker with several threads has one for it (GIL), and native threads need none of it.
 * @param {{workers: NonNullable<GatheredFacts['workers']>, paths?: GatheredFacts['paths']}} facts
 */
export function coresOfPython({ workers: { cores, threads }, paths = [] }) {
  const native = paths.filter(({ kind, file }) => kind === 'cpu' && file === '<native threads>');
  return (threads ?? 1) < 2 ? cores : cores * (1 - sum(native.map(({ share }) => share.value)));
}

/** The CPU use is more than the run, its recorders and the kernel explain. @param {Pick<GatheredFacts, 'parts' | 'generatorCores' | 'restCores'>} facts */
export const hasBackgroundLoad = ({ parts, generatorCores, restCores }) =>
  parts.length > 0 && generatorCores !== null && (restCores ?? 0) >= THRESHOLDS.backgroundCores;

/** Threads of a worker that run or wait for a core, mean. @param {GatheredFacts} facts @returns {number | null} null: not known */
export function countWanting({ workers, requestCpu, throughputPerSec }) {
  if (!workers || requestCpu?.queuedMs == null) return null;
  const queued = (requestCpu.queuedMs * (throughputPerSec ?? 0)) / 1000;
  return (workers.cores + queued) / workers.processes;
}

/** Locks, one per worker process, and pools of connections. @param {GatheredFacts} facts @returns {Measured[]} */
function measureQueues({ waits, workers, ...facts }) {
  const { fullPool: counted } = findFullPool({ waits, ...facts });
  if (counted && !isOfThreads(counted)) return [];
  return LOCK_AND_POOL.flatMap(id => {
    const queue = countRequests(waits, id);
    if (queue < WORTH_A_ROW) return [];
    const holders = waits?.holders?.of === id ? waits.holders : null;
    // A coroutine may await several calls at the same time, and samples show one of them.
    const inUse = id === 'lock' || waits?.suspended === 0 ? (holders?.threads ?? null) : null;
    // While requests wait for a connection, all are in use: the number of holders is the size of the pool. If requests
    // seldom wait, some may be free, or each thread has a pool of its own.
    const size = queue >= ALWAYS_ONE ? inUse : null;
    // One holder for several workers: they share the lock, through a file or a database.
    const processes = workers?.processes ?? 1;
    const locks = (inUse ?? 0) < processes * THRESHOLDS.oneInside ? 1 : processes;
    return [{ id, capacity: id === 'pool' ? size : holders && locks, inUse, queue, holders }];
  });
}

/** Databases and other services: their limits are not visible from here. @param {GatheredFacts} facts @returns {Measured[]} */
function measureCalls({ waits, inFlight }) {
  const known = waits && { ...waits, kinds: waits.kinds.filter(({ isBound }) => !isBound) };
  // Threads that work for no request may look as if they did.
  const most = inFlight?.client ?? Infinity;
  return /** @type {const} */ (['database', 'external-call', 'child-process'])
    .map(id => ({
      id,
      capacity: null,
      inUse: Math.min(countRequests(known, id), most),
      queue: null,
    }))
    .filter(({ inUse }) => inUse >= WORTH_A_ROW);
}

/** The GIL lets one thread of a process run at a time. @param {GatheredFacts} facts @returns {Measured[]} */
function measureCpu({ workers, parts, host, quota, throughputPerSec, serviceCores, ...facts }) {
  /** @type {Measured[]} */
  const resources = [];
  if (workers) {
    const { cores, processes: capacity } = workers;
    const id = (workers.threads ?? 1) >= 2 ? 'gil' : 'workers';
    const inUse = coresOfPython({ ...facts, workers });
    const idle = Math.max(0, capacity - inUse);
    // Threads that calculate in C may need no GIL.
    const used = inUse - (id === 'gil' ? cores * shareInC(facts.paths ?? []) : 0);
    const each = throughputPerSec && used > 0 ? throughputPerSec / used : 0;
    const mostPerSec = each * (inUse + idle * (1 + MORE_IN_IDLE.high)) || null;
    const queue = null;
    resources.push({ id, capacity, inUse, queue, mostPerSec });
    if (quota) resources.push({ id: 'quota', capacity: quota.quotaCores, inUse: cores, queue });
  }
  if (host) {
    const perSec = throughputPerSec ?? 0;
    const generating = Math.min(facts.generatorCores ?? 0, GENERATOR_SEC * perSec);
    const beside = generating + (facts.childCores ?? 0) + (serviceCores ?? 0);
    const own = sum(parts.map(({ cores }) => cores)) + beside;
    // The recorders and the kernel keep their CPU. How much of theirs other programs leave to a higher load is not known.
    const free = host.cpus - Math.max(host.cores, own) + own;
    const isKnown = own > 0 && !hasBackgroundLoad({ parts, ...facts });
    const mostPerSec = perSec && isKnown ? (perSec * free) / own : null;
    const demandMs = throughputPerSec && (1000 * own) / throughputPerSec;
    const use = { capacity: host.cpus, inUse: host.cores, queue: null };
    if (serviceCores) resources.push({ ...use, id: 'component', inUse: serviceCores });
    resources.push({ id: 'machine', ...use, demandMs, mostPerSec });
  }
  return resources;
}

/**
 * A database or another service works for at most as many requests as wait for it, and needs at most a core for each.
 * @param {Pick<GatheredFacts, 'waits'>['waits']} waits
 */
export const countServed = waits =>
  countRequests(waits, 'database') + countRequests(waits, 'external-call');

/**
 * Mean number of requests in a state.
 * @param {GatheredFacts['waits']} waits
 * @param {string} kind
 */
export const countRequests = (waits, kind) => (waits?.busyThreads ?? 0) * shareOf(waits, kind);

/** What requests do that have a thread. @param {GatheredFacts['waits']} waits @returns {BottleneckFacts['kindsInside']} */
export function listKindsInside(waits) {
  const inside = 1 - shareOf(waits, 'thread-pool');
  return (waits?.kinds ?? [])
    .filter(({ id }) => id !== 'thread-pool')
    .map(kind => ({
      ...kind,
      share: mapEstimate(kind.share, share => Math.min(1, share / inside)),
    }));
}

/** What requests do without waiting for anything of the API. */
const NO_WAITS = ['cpu', 'gil', 'socket'];

/** Requests that stacks show ÷ requests in progress. @param {GatheredFacts} facts @returns {number} 0 to 1; 1 if not known */
export function measureSeen({ waits, pressure }) {
  const { users = 0, share = 0 } = pressure?.id === 'waiting' ? pressure.facts : {};
  return Math.min(1, (waits?.busyThreads ?? 0) / (waits?.inFlight ?? users * share)) || 1;
}

/** @param {GatheredFacts} facts @returns {LongestWait | null} */
export function findLongestWait({ waits, ...facts }) {
  const seen = measureSeen({ waits, ...facts });
  /** @type {LongestWait[]} */
  const all = [];
  for (const { id: kind, share, where, isBound = false } of waits?.kinds ?? []) {
    // Each request opens a connection, however long its worker waits for a core meanwhile.
    const places = isBound ? where.filter(own => own.as === 'connect') : where;
    if (NO_WAITS.includes(kind) || (isBound && places.length === 0)) continue;
    if (where.length === 0) all.push({ kind, share: scaleEstimate(share, seen), place: null });
    const isOfPartner = kind === 'database' && facts.locking?.by === 'message';
    for (const { share: part, ...own } of places) {
      const place = isOfPartner ? { ...own, as: /** @type {const} */ ('message') } : own;
      all.push({ kind, share: scaleEstimate(share, part * seen), place, isBound });
    }
  }
  // More users get no more: a pause of the API's own sets the rate, whatever takes longer beside it.
  const sets = (/** @type {LongestWait} */ { kind, share, place }) =>
    Number(facts.flat != null && kind === 'sleep' && place && share.value >= THRESHOLDS.smallPart);
  return all.sort((a, b) => sets(b) - sets(a) || b.share.value - a.share.value)[0] ?? null;
}

/** Share of the time of requests. @param {GatheredFacts['waits']} waits @param {string} kind @param {'low' | 'value' | 'high'} [end] */
export function shareOf(waits, kind, end = 'value') {
  const share = waits?.kinds.find(({ id }) => id === kind)?.share;
  return share?.[end] ?? share?.value ?? 0;
}
