/**
 * Predicts the throughput without the bottleneck, or with a shorter path. Bounds come first. In a closed loop, mean value
 * analysis follows, for the number of users in the run (Lazowska et al., "Quantitative System Performance", 1984, chapters
 * 5 and 6). An open loop has no fixed number of users, so only the bounds apply.
 */
import { least, sum } from '../math/summary.js';
import { countRequests, shareOf } from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, BottleneckId, Fix, PathGain, RequestPath } from '../facts/bottleneck.d.ts' */
/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { RequestState } from '../facts/profile-report.d.ts' */

/**
 * Seconds per completed request, and the resources that requests share.
 * @typedef {object} Model
 * @property {number} users `ANY` in an open loop
 * @property {number} thinkSec outside the target, without a queue
 * @property {number | null} slots most requests inside at a time; null: no limit
 * @property {number} inside mean number of requests inside
 * @property {number} waitSec inside, not on a CPU
 * @property {number} cpuSec of a worker
 * @property {number} freeSec part of `cpuSec` that may run in parallel: C code may release the GIL
 * @property {number} workers
 * @property {number} machineSec CPU of workers, their child processes and the load generator
 * @property {number} cpus
 * @property {number} sharedPerSec most requests/s through a lock or connections
 * @property {number} reached part of the workers that gets requests
 */

/** Shared resources, and the state of requests that wait for them. @type {Partial<Record<BottleneckId, RequestState>>} */
const SHARED = { lock: 'lock', pool: 'pool', consumer: 'lock' };
/** @type {BottleneckId[]} */
const OUTSIDE = ['database', 'external-call', 'child-process'];
/** Fixes that let more requests in at a time. @type {BottleneckId[]} */
const WIDER = ['slots', 'connections', 'pool'];
/** @type {BottleneckId[]} */
const FIXED = ['lock', 'pool', 'consumer', 'slots', 'connections', 'loop', ...OUTSIDE];
/** @type {BottleneckId[]} */
const CPU = ['workers', 'gil'];
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
const MOST_PATHS = 5;
/** Error of such models even with correct input: 5 to 10 % of the throughput (Lazowska, chapter 1). */
const OF_MODEL = 0.1;
/** Most CPU of the load generator per request: at low rates most of its CPU has nothing to do with requests. */
const GENERATOR_SEC = 0.0004;

/**
 * How much more CPU a request takes in an idle worker: threads wake up, and caches are cold.
 * Measured with gunicorn and uvicorn (docs/bottlenecks.md).
 * @type {Record<End, number>}
 */
const MORE_IN_IDLE = { low: 0, value: 0.4, high: 1.5 };

const ANY = Number.POSITIVE_INFINITY;

/** @typedef {'low' | 'value' | 'high'} End of an interval */

/** @type {Record<End, End>} */
const OPPOSITE = { low: 'high', value: 'value', high: 'low' };

/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @returns {Fix | null} null if unknown, or if nothing is full
 */
export function predictFix(id, facts) {
  const { throughputPerSec: nowPerSec } = facts;
  if (!nowPerSec || !FIXED.includes(id)) return null;
  // Other programs need the CPU, and these may work for requests: more of them at a time might gain nothing.
  if (WIDER.includes(id) && facts.isMachineFull && facts.hasBackgroundLoad) return null;
  const isOutside = OUTSIDE.includes(id);
  /** @param {End} end of the interval of the removed share @returns {Model | null} */
  const fix = end => {
    const model = buildModel(id, facts, end);
    if (!model) return null;
    const share = isOutside ? shareOf(facts.waits, id, end) : 0;
    const slots = ['slots', 'connections', 'loop'].includes(id) ? null : model.slots;
    // At best a call goes, with the CPU of its client. A query stays.
    const client = id === 'external-call' ? (facts.httpClientCpu ?? 0) : 0;
    const shorter = shorten(shorten(model, id, share, facts), 'cpu', client, facts);
    const sharedPerSec = limitOfOuter(id, facts) * model.reached;
    const after = { ...shorter, slots, sharedPerSec };
    const busy = makeBusy(after, facts, end);
    return { ...busy, freeSec: end === 'high' ? busy.cpuSec * shareOfC(facts) : 0 };
  };
  const [low, value, high] = [fix('low'), fix('value'), fix('high')];
  if (!low || !value || !high) return null;
  const perSec = solve(value);
  if (perSec <= nowPerSec || perSec === ANY) return null;
  const afterPerSec = widen({
    value: perSec,
    // The effect of a fix on the other program is unknown.
    low: isOutside ? nowPerSec : Math.min(solve(low), solveInStep(low), perSec),
    high: Math.max(bound(high).perSec, perSec),
  });
  const gain = compare(afterPerSec, nowPerSec);
  const dependsOnSpread = solve(low) < solve({ ...low, slots: high.slots, workers: high.workers });
  const { id: next } = bound(value);
  return { nowPerSec, afterPerSec, gain, next, isMost: value.users === ANY, dependsOnSpread };
}

/**
 * @param {Model} model @param {BottleneckFacts} facts @param {End} end
 * @returns {Model} with the CPU time of a request in a busy worker
 */
function makeBusy(model, { workers }, end) {
  const idle = workers ? Math.max(0, 1 - workers.cores / workers.processes) : 0;
  const gone = model.cpuSec * (1 - 1 / (1 + MORE_IN_IDLE[end] * idle));
  return { ...model, cpuSec: model.cpuSec - gone, machineSec: model.machineSec - gone };
}

/**
 * @param {BottleneckFacts} facts
 * @returns {number} share of the CPU time that threads of a worker may spend in parallel
 */
function shareOfC({ paths, waits, workers }) {
  if ((waits?.slots ?? waits?.poolThreads ?? 0) <= (workers?.processes ?? 0)) return 0;
  const inC = paths.filter(({ kind, file }) => kind === 'cpu' && file.startsWith('<C code'));
  return Math.min(1, sum(inC.map(({ share }) => share.value)));
}

/**
 * A request that waits for `id` while it holds an outer lock still holds that lock for the rest of its time.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 * @returns {number} most requests/s through the outer lock without that wait
 */
function limitOfOuter(id, { waits, throughputPerSec }) {
  const { of, doing } = waits?.holders ?? {};
  return doing && of !== id && doing.id === SHARED[id] && throughputPerSec
    ? throughputPerSec / (1 - doing.share)
    : ANY;
}

/**
 * Correction to the number of requests that do work: the threads that work for waiting requests, or what rounds the
 * number of holders to a whole number.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 */
function countKept(id, { waits }) {
  if (id === 'consumer') return waits?.background?.threads ?? 0;
  const { of, threads = 0 } = waits?.holders ?? {};
  const whole = Math.round(threads);
  return of === id && whole >= 1 && Math.abs(whole - threads) <= NEAR_WHOLE ? whole - threads : 0;
}

/**
 * The paths that take most of a request, and the gain if they took half the time, or none.
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @returns {PathGain[]} empty if the model does not fit the run
 */
export function predictPaths(id, facts) {
  const model = buildModel(id, facts);
  const { throughputPerSec: nowPerSec } = facts;
  if (!model || !nowPerSec || !hasPaths(id) || solve(model) === ANY) return [];
  const measured = facts.paths.map(path => {
    const perRequest = path.kind === 'cpu' ? model.cpuSec : model.inside / nowPerSec;
    return { ...path, ms: 1000 * perRequest * path.share.value };
  });
  return measured
    .sort((a, b) => b.ms - a.ms)
    .slice(0, MOST_PATHS)
    .map(path => {
      if (!isPlaced(id, path.kind, facts)) return { ...path, half: null, without: null };
      const gainWith = (/** @type {number} */ part) => gainOf(model, [path], facts, part);
      return { ...path, half: gainWith(0.5), without: gainWith(1) };
    });
}

/** Of the waits in a blocked loop, only their sum is known. @param {BottleneckId} id */
const hasPaths = id => id !== 'loop' && [...FIXED, ...CPU, 'none'].includes(id);

/**
 * The gain if all these paths take less time.
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {RequestPath[]} paths `share`: the removed share
 * @returns {Estimate | null} null if the model does not fit the run
 */
export function predictShorter(id, facts, paths) {
  const model = buildModel(id, facts);
  const arePlaced = paths.every(({ kind }) => isPlaced(id, kind, facts));
  return model && hasPaths(id) && arePlaced ? gainOf(model, paths, facts) : null;
}

/**
 * @param {Model} model @param {RequestPath[]} paths @param {BottleneckFacts} facts
 * @param {number} [part] of the paths that is removed
 * @returns {Estimate}
 */
function gainOf(model, paths, facts, part = 1) {
  const after = (/** @type {End} */ end) =>
    solve(
      paths.reduce(
        (left, { kind, share }) => shorten(left, kind, part * (share[end] ?? share.value), facts),
        makeBusy(model, facts, end),
      ),
    );
  const perSec = { value: after('value'), low: after('low'), high: after('high') };
  return compare(widen(perSec), solve(makeBusy(model, facts, 'value')));
}

/**
 * Is it known whether holders of the limiting resource do this?
 * @param {BottleneckId} id @param {RequestState} kind @param {BottleneckFacts} facts
 */
function isPlaced(id, kind, facts) {
  if (!SHARED[id]) return true;
  const doing = facts.waits?.holders?.doing;
  return doing !== undefined && (doing.id !== kind || isHeld(kind, facts));
}

/** Do holders do this, and hardly any other request? @param {string} kind @param {BottleneckFacts} facts */
function isHeld(kind, { waits }) {
  const { doing, threads = 0 } = waits?.holders ?? {};
  const all = countRequests(waits, kind);
  return doing?.id === kind && threads * doing.share >= all * THRESHOLDS.nearlyAllTime;
}

/** @param {Estimate} afterPerSec @param {number} nowPerSec @returns {Estimate} */
function compare({ value, low, high }, nowPerSec) {
  const gain = (/** @type {number | null} */ perSec) =>
    Math.max(0, (perSec ?? value) / nowPerSec - 1);
  return { value: gain(value), low: gain(low), high: gain(high) };
}

/** @param {Estimate} perSec @returns {Estimate} */
function widen({ value, low, high }) {
  return { value, low: (low ?? value) * (1 - OF_MODEL), high: (high ?? value) * (1 + OF_MODEL) };
}

/**
 * @param {Model} model
 * @param {string} kind state of requests
 * @param {number} share removed, of CPU time, or of the time of requests
 * @param {BottleneckFacts} facts
 * @returns {Model}
 */
function shorten(model, kind, share, facts) {
  const { waits, throughputPerSec } = facts;
  const { waitSec, cpuSec, machineSec, sharedPerSec, inside } = model;
  if (kind === 'cpu') {
    const gone = cpuSec * share;
    return { ...model, cpuSec: cpuSec - gone, machineSec: machineSec - gone };
  }
  const holders = Math.max(waits?.holders?.threads ?? 0, countRequests(waits, kind));
  const held = isHeld(kind, facts) ? Math.min(1, (share * inside) / holders) : 0;
  return {
    ...model,
    waitSec: Math.max(0, waitSec - (share * inside) / (throughputPerSec ?? ANY)),
    sharedPerSec: sharedPerSec / Math.max(0.01, 1 - held),
  };
}

/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {End} [end] of the interval of the share of requests that queue for it
 * @returns {Model | null}
 */
function buildModel(id, facts, end = 'value') {
  const { pressure, waits, loopWaits, workers, host, throughputPerSec, served } = facts;
  // Where the CPU limits, requests wait for the CPU unless another wait is known.
  const isCpu = CPU.includes(id);
  const states = waits?.kinds.filter(one =>
    isCpu ? !WAITS.includes(one.id) : RUNS.includes(one.id),
  );
  const running = states
    ? sum(states.map(one => countRequests(waits, one.id)))
    : (isCpu && workers?.cores) || 0;
  const begun = waits?.busyThreads ?? served?.count ?? running;
  const isClosed = pressure?.id === 'waiting';
  if (!isClosed && !facts.isSaturated) return null;
  if (!begun || !workers || !throughputPerSec) return null;
  const users = isClosed ? pressure.facts.users : ANY;
  // If no worker has a free slot, users outside are in a queue. Otherwise they are in transit.
  const ofWorker = (waits?.slots ?? ANY) / workers.processes;
  const isEachTaken = (waits?.busySlotsOfFullest ?? 0) >= ofWorker * THRESHOLDS.fullSlots;
  const isFull =
    isEachTaken || isCpu || !waits || loopWaits !== null || !isClosed || served != null;
  const asking = isClosed ? users * pressure.facts.share : begun;
  const { slots = null, busySlots = 0, suspended = null } = waits ?? {};
  // Beside an event loop, only some requests take a thread, unless all threads are in use.
  const areSlotsFull = busySlots >= (slots ?? 1) * THRESHOLDS.fullSlots;
  // A kept connection stays with its worker, so workers with fewer users leave threads idle. A restart spreads
  // connections again: at the low end one worker gets all of them, at the high end all get as many.
  const isKept = isClosed && facts.keepsConnections === true;
  const reached = isKept && end === 'low' ? 1 / Math.max(1, Math.round(workers.processes)) : 1;
  const isUneven = isKept && end === 'value' && isEachTaken && !areSlotsFull;
  const usable = isUneven ? Math.round(busySlots) : slots && slots * reached;
  const isNear = asking - begun <= users * ON_THE_WAY;
  const inside = isFull || !isNear ? begun : asking;
  // Requests that queue do no work: for a thread, for the lock, or behind a lock whose holder waits for a connection.
  const shared = SHARED[id];
  const isBehind = shared && waits?.holders?.doing.id === shared;
  const queues = (waits?.kinds ?? []).filter(
    ({ id: kind }) =>
      kind === 'thread-pool' ||
      (id === 'consumer' && kind === 'queue') ||
      kind === shared ||
      (isBehind && kind === waits?.holders?.of),
  );
  const queued = inside * Math.min(1, sum(queues.map(one => one.share[end] ?? one.share.value)));
  // A blocked loop waits for one request while all others of its worker wait for the loop.
  const waiting = loopWaits
    ? (loopWaits.share[OPPOSITE[end]] ?? loopWaits.share.value) * workers.processes
    : inside - running - queued + countKept(id, facts);
  const perRequest = (/** @type {number} */ requests) => Math.max(0, requests) / throughputPerSec;
  const model = {
    users,
    thinkSec: isClosed ? perRequest(users - (isFull ? asking : inside)) : 0,
    slots: suspended === 0 || areSlotsFull ? usable : (served?.count ?? null),
    inside,
    waitSec: perRequest(waiting),
    cpuSec: perRequest(workers.cores),
    freeSec: 0,
    workers: Math.max(workers.processes, workers.cores) * reached,
    machineSec:
      perRequest(workers.cores + (id === 'child-process' ? 0 : (facts.childCores ?? 0))) +
      Math.min(perRequest(facts.generatorCores ?? 0), GENERATOR_SEC),
    cpus: host?.cpus ?? ANY,
    sharedPerSec: shared ? throughputPerSec : ANY,
    reached,
  };
  // Other users are in a queue.
  const queuedSec = perRequest((isFull ? asking : inside) - waiting - workers.cores);
  const allowed = solve({ ...model, thinkSec: model.thinkSec + queuedSec });
  return end !== 'value' || allowed >= throughputPerSec * (1 - SHORT_OF) ? model : null;
}

/**
 * Asymptotic bounds: of the users without a queue, and of each resource.
 * @param {Model} model
 * @returns {{perSec: number, id: BottleneckId}} the lowest, and its resource; `none`: the users
 */
function bound(model) {
  const { users, thinkSec, slots, waitSec, cpuSec, freeSec, workers, machineSec, cpus } = model;
  /** @type {{id: BottleneckId, perSec: number}[]} */
  const bounds = [
    { id: 'none', perSec: users / (thinkSec + waitSec + cpuSec) },
    { id: 'slots', perSec: (slots ?? ANY) / (waitSec + cpuSec) },
    { id: 'workers', perSec: workers / (cpuSec - freeSec) },
    { id: 'machine', perSec: cpus / machineSec },
    { id: 'lock', perSec: model.sharedPerSec },
  ];
  const perSec = least(bounds.map(one => one.perSec));
  return { perSec, id: bounds.find(one => one.perSec === perSec)?.id ?? 'none' };
}

/**
 * Exact mean value analysis of one class, with one queue for the workers' CPU. N workers count as one worker that is N
 * times as fast, and a delay (Seidmann's approximation).
 * @param {Model} model
 * @returns {number} requests per second
 */
function solve(model) {
  const { users, slots, thinkSec, waitSec, cpuSec, workers } = model;
  if (users === ANY) return bound(model).perSec;
  const queued = cpuSec / workers;
  const delay = waitSec + cpuSec - queued;
  /** @param {number} population @param {number} outsideSec */
  const throughputOf = (population, outsideSec) => {
    let [length, perSec] = [0, 0];
    for (let n = 1; n <= population; n++) {
      const waited = queued * (1 + length);
      perSec = n / (outsideSec + delay + waited);
      length = perSec * waited;
    }
    return perSec;
  };
  const free = throughputOf(Math.round(users), thinkSec);
  const inside =
    slots === null ? free : throughputOf(Math.min(Math.round(slots), Math.round(users)), 0);
  return Math.min(free, inside, bound(model).perSec);
}

/**
 * Users who move in step ask for the CPU at the same time, for example behind a service with a constant response time.
 * On average, half of the others come first.
 * @param {Model} model
 * @returns {number} requests per second
 */
function solveInStep(model) {
  const { users, slots, thinkSec, waitSec, cpuSec, workers } = model;
  if (users === ANY) return ANY;
  const before = (Math.min(users, slots ?? ANY) - 1) / 2 / workers;
  return users / (thinkSec + waitSec + cpuSec * (1 + Math.max(0, before)));
}
