/**
 * What the throughput becomes without the bottleneck, or with a path that takes less time: bounds first, then, in a closed
 * loop, mean value analysis for the users that the run had (Lazowska et al., "Quantitative System Performance", 1984,
 * chapters 5 and 6). An open loop sends any number of requests: there the bounds are all.
 */
import { least, sum } from '../math/summary.js';
import { countRequests, shareOf } from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, BottleneckId, Fix, PathGain, RequestPath } from '../facts/bottleneck.d.ts' */
/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { RequestState } from '../facts/profile-report.d.ts' */

/**
 * Seconds of a completed request, and what it shares with others.
 * @typedef {object} Model
 * @property {number} users any number in an open loop
 * @property {number} thinkSec outside of the target, where nothing queues
 * @property {number | null} slots requests inside at a time; null: any number
 * @property {number} inside requests inside, mean
 * @property {number} waitSec inside, without a CPU
 * @property {number} cpuSec of a worker
 * @property {number} freeSec of that, perhaps beside other threads of the worker: code of C may release the GIL
 * @property {number} workers
 * @property {number} machineSec of the machine's cores: of workers and of the load generator
 * @property {number} cpus
 * @property {number} sharedPerSec requests that what they hold one after the other (a lock, connections) lets through
 */

/** What requests hold one after the other, and the state of those that wait for it. @type {Partial<Record<BottleneckId, RequestState>>} */
const SHARED = { lock: 'lock', pool: 'pool', consumer: 'lock' };
/** @type {BottleneckId[]} */
const OUTSIDE = ['database', 'external-call'];
/** @type {BottleneckId[]} */
const FIXED = ['lock', 'pool', 'consumer', 'slots', 'connections', 'loop', ...OUTSIDE];
/** @type {BottleneckId[]} */
const CPU = ['workers', 'gil'];
/** @type {RequestState[]} */
const RUNS = ['cpu', 'gil'];
/** Of workers that are full: a thread that waits for the GIL may show as one that reads a request. @type {RequestState[]} */
const WAITS = ['database', 'external-call', 'lock', 'pool', 'sleep'];

/** The model has to allow the throughput that was measured, but for this. */
const SHORT_OF = 0.25;
/** Of the users: fewer that are on their way than this may be an error of the samples of threads. */
const ON_THE_WAY = 0.15;
/** A whole number of requests holds a lock or a connection: a mean this near to one is that one. */
const NEAR_WHOLE = 0.25;
const MOST_PATHS = 5;
/** Such models are off by 5 to 10 % of the throughput even where all that they are given is right (Lazowska, chapter 1). */
const OF_MODEL = 0.1;
/** CPU time of the load generator for a request, at most: at low rates it is mostly what it uses without requests. */
const GENERATOR_SEC = 0.0004;

/**
 * How much more CPU time a request takes in an idle worker than in a busy one: it wakes threads, and caches are cold.
 * Measured with gunicorn and uvicorn (docs/bottlenecks.md).
 * @type {Record<End, number>} the least, mostly, the most
 */
const MORE_IN_IDLE = { low: 0, value: 0.4, high: 1.5 };

const ANY = Number.POSITIVE_INFINITY;

/** @typedef {'low' | 'value' | 'high'} End of an interval */

/** @type {Record<End, End>} */
const OPPOSITE = { low: 'high', value: 'value', high: 'low' };

/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @returns {Fix | null} null where it is not known, or nothing is full
 */
export function predictFix(id, facts) {
  const { throughputPerSec: nowPerSec } = facts;
  if (!nowPerSec || !FIXED.includes(id)) return null;
  const isOutside = OUTSIDE.includes(id);
  /** @param {End} end of the interval of the share that goes @returns {Model | null} */
  const fix = end => {
    const model = buildModel(id, facts, end);
    if (!model) return null;
    const share = isOutside ? shareOf(facts.waits, id, end) : 0;
    const slots = ['slots', 'connections', 'loop'].includes(id) ? null : model.slots;
    // At best a call is gone, with what its client costs; a query stays.
    const client = id === 'external-call' ? (facts.httpClientCpu ?? 0) : 0;
    const shorter = shorten(shorten(model, id, share, facts), 'cpu', client, facts);
    const after = { ...shorter, slots, sharedPerSec: limitOfOuter(id, facts) };
    const busy = makeBusy(after, facts, end);
    return { ...busy, freeSec: end === 'high' ? busy.cpuSec * shareOfC(facts) : 0 };
  };
  const [low, value, high] = [fix('low'), fix('value'), fix('high')];
  if (!low || !value || !high) return null;
  const perSec = solve(value);
  if (perSec <= nowPerSec || perSec === ANY) return null;
  const afterPerSec = widen({
    value: perSec,
    // How much of the time in another program a fix takes away is not seen from here.
    low: isOutside ? nowPerSec : Math.min(solve(low), solveInStep(low), perSec),
    high: Math.max(bound(high).perSec, perSec),
  });
  const gain = compare(afterPerSec, nowPerSec);
  return { nowPerSec, afterPerSec, gain, next: bound(value).id, isMost: value.users === ANY };
}

/**
 * @param {Model} model @param {BottleneckFacts} facts @param {End} end
 * @returns {Model} with the CPU time that a request takes once its worker is busy
 */
function makeBusy(model, { workers }, end) {
  const idle = workers ? Math.max(0, 1 - workers.cores / workers.processes) : 0;
  const gone = model.cpuSec * (1 - 1 / (1 + MORE_IN_IDLE[end] * idle));
  return { ...model, cpuSec: model.cpuSec - gone, machineSec: model.machineSec - gone };
}

/**
 * @param {BottleneckFacts} facts
 * @returns {number} share of the CPU time that several threads of a worker may spend at once
 */
function shareOfC({ paths, waits, workers }) {
  if ((waits?.slots ?? 0) <= (workers?.processes ?? 0)) return 0;
  const inC = paths.filter(({ kind, file }) => kind === 'cpu' && file.startsWith('<C code'));
  return Math.min(1, sum(inC.map(({ share }) => share.value)));
}

/**
 * Who holds a lock while it waits for this still holds it for the rest of its time.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 * @returns {number} requests per second that the lock lets through without that wait
 */
function limitOfOuter(id, { waits, throughputPerSec }) {
  const { of, doing } = waits?.holders ?? {};
  return doing && of !== id && doing.id === SHARED[id] && throughputPerSec
    ? throughputPerSec / (1 - doing.share)
    : ANY;
}

/**
 * Requests that still do the work where none waits for another: as many as threads that work for them. Or what
 * the samples of holders lack to a whole number.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 */
function countKept(id, { waits }) {
  if (id === 'consumer') return waits?.background?.threads ?? 0;
  const { of, threads = 0 } = waits?.holders ?? {};
  const whole = Math.round(threads);
  return of === id && whole >= 1 && Math.abs(whole - threads) <= NEAR_WHOLE ? whole - threads : 0;
}

/**
 * The paths that take most of a request, and what half of it, or none, would bring.
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @returns {PathGain[]} empty where the model does not describe the run
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

/** Of the waits in a loop only the whole is known. @param {BottleneckId} id */
const hasPaths = id => id !== 'loop' && [...FIXED, ...CPU, 'none'].includes(id);

/**
 * What it brings where all of these take that much less time.
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {RequestPath[]} paths `share`: what goes
 * @returns {Estimate | null} null where the model does not describe the run
 */
export function predictShorter(id, facts, paths) {
  const model = buildModel(id, facts);
  const arePlaced = paths.every(({ kind }) => isPlaced(id, kind, facts));
  return model && hasPaths(id) && arePlaced ? gainOf(model, paths, facts) : null;
}

/**
 * @param {Model} model @param {RequestPath[]} paths @param {BottleneckFacts} facts
 * @param {number} [part] of the paths that goes
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
 * Is it known whether who holds what limits does this?
 * @param {BottleneckId} id @param {RequestState} kind @param {BottleneckFacts} facts
 */
function isPlaced(id, kind, facts) {
  if (!SHARED[id]) return true;
  const doing = facts.waits?.holders?.doing;
  return doing !== undefined && (doing.id !== kind || isHeld(kind, facts));
}

/** Who holds what the others wait for does this, and hardly any other request. @param {string} kind @param {BottleneckFacts} facts */
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
 * @param {string} kind what requests do
 * @param {number} share that goes, of CPU time, or of the time of requests
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
 * @param {End} [end] of the share of requests that queue for it
 * @returns {Model | null}
 */
function buildModel(id, facts, end = 'value') {
  const { pressure, waits, loopWaits, workers, host, throughputPerSec, served } = facts;
  // Requests wait for nothing but the CPU where that limits, and nothing else is known.
  const isCpu = CPU.includes(id);
  const states = waits?.kinds.filter(one =>
    isCpu ? !WAITS.includes(one.id) : RUNS.includes(one.id),
  );
  const running = states
    ? sum(states.map(one => countRequests(waits, one.id)))
    : (isCpu && workers?.cores) || 0;
  const begun = waits?.busyThreads ?? served?.count ?? running;
  const isClosed = pressure?.id === 'waiting';
  const isKnown = isClosed || facts.isSaturated === true;
  if (!isKnown || !begun || !workers || !throughputPerSec) return null;
  const users = isClosed ? pressure.facts.users : ANY;
  // Where a worker has nothing free, whoever is not inside queues; else they are on their way.
  const ofWorker = (waits?.slots ?? ANY) / workers.processes;
  const isEachTaken = (waits?.busySlotsOfFullest ?? 0) >= ofWorker * THRESHOLDS.fullSlots;
  const isFull =
    isEachTaken || isCpu || !waits || loopWaits !== null || !isClosed || served != null;
  const asking = isClosed ? users * pressure.facts.share : begun;
  const { slots = null, busySlots = 0, suspended = null } = waits ?? {};
  // Beside an event loop only some requests take a thread, unless all threads are taken.
  const areAllInThreads = suspended === 0 || busySlots >= (slots ?? 1) * THRESHOLDS.fullSlots;
  const isNear = asking - begun <= users * ON_THE_WAY;
  const inside = isFull || !isNear ? begun : asking;
  // Who waits for a thread holds none, and behind a lock whose holder waits for a connection, all wait for that.
  const shared = SHARED[id];
  const isBehind = shared && waits?.holders?.doing.id === shared;
  const queues = (waits?.kinds ?? []).filter(
    ({ id: kind }) =>
      kind === 'thread-pool' || kind === shared || (isBehind && kind === waits?.holders?.of),
  );
  const queued = inside * Math.min(1, sum(queues.map(one => one.share[end] ?? one.share.value)));
  // A loop waits for one request at a time, while all others of its worker wait for the loop. The more of its time it is
  // blocked, the longer each takes by itself.
  const waiting = loopWaits
    ? (loopWaits.share[OPPOSITE[end]] ?? loopWaits.share.value) * workers.processes
    : inside - running - queued + countKept(id, facts);
  const perRequest = (/** @type {number} */ requests) => Math.max(0, requests) / throughputPerSec;
  const model = {
    users,
    thinkSec: isClosed ? perRequest(users - (isFull ? asking : inside)) : 0,
    slots: areAllInThreads ? slots : (served?.count ?? null),
    inside,
    waitSec: perRequest(waiting),
    cpuSec: perRequest(workers.cores),
    freeSec: 0,
    workers: Math.max(workers.processes, workers.cores),
    machineSec:
      perRequest(workers.cores) + Math.min(perRequest(facts.generatorCores ?? 0), GENERATOR_SEC),
    cpus: host?.cpus ?? ANY,
    sharedPerSec: shared ? throughputPerSec : ANY,
  };
  // Users who are neither inside nor pausing are in a queue.
  const queuedSec = perRequest((isFull ? asking : inside) - waiting - workers.cores);
  const allowed = solve({ ...model, thinkSec: model.thinkSec + queuedSec });
  return end !== 'value' || allowed >= throughputPerSec * (1 - SHORT_OF) ? model : null;
}

/**
 * Asymptotic bounds: what queues nowhere, and what is full.
 * @param {Model} model
 * @returns {{perSec: number, id: BottleneckId}} the lowest, and what sets it; `none`: the users
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
 * Exact mean value analysis for one class of requests, with one queue for the CPU of the workers; several workers are
 * one that is as many times as fast, and a delay (Seidmann's approximation).
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
 * Where users move in step, as behind a service that always takes as long, all ask for the CPU at once: on average half
 * of the others come first.
 * @param {Model} model
 * @returns {number} requests per second
 */
function solveInStep(model) {
  const { users, slots, thinkSec, waitSec, cpuSec, workers } = model;
  if (users === ANY) return ANY;
  const before = (Math.min(users, slots ?? ANY) - 1) / 2 / workers;
  return users / (thinkSec + waitSec + cpuSec * (1 + Math.max(0, before)));
}
