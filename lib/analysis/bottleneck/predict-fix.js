/** Predicts the throughput without the bottleneck, or with a shorter path, from a model of the requests. */
import { mapEstimate } from '../../base/math/intervals.js';
import { addWorkers } from './add-workers.js';
import { buildModel, CPU, isOfSamples, OUTSIDE, SHARED } from './build-model.js';
import { countRequests, countServed, MORE_IN_IDLE, shareInC, shareOf } from './resources.js';
import { ANY, bound, solve } from './solve-model.js';
import { THRESHOLDS } from './thresholds.js';
import { isUndecided } from './what-if.js';

/** @import { BottleneckFacts, BottleneckId, Fix, PathGain, RequestPath, Resource } from '../../run/facts/bottleneck.d.ts' */
/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { RequestState } from '../../run/facts/profile-report.d.ts' */
/** @import { End } from './build-model.js' */
/** @import { Model } from './solve-model.js' */

/** Fixes that let more requests in at a time. @type {BottleneckId[]} */
const WIDER = ['slots', 'connections', 'pool'];
/** @type {BottleneckId[]} */
const FIXED = ['lock', 'pool', 'consumer', 'slots', 'connections', 'loop', 'wait', ...OUTSIDE];
const MOST_PATHS = 5;
/** Error of such models even with correct input: 5 to 10 % of the throughput (Lazowska, chapter 1). */
const OF_MODEL = 0.1;
/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @param {Resource[]} [resources] of these facts
 * @returns {Fix | null} null if unknown, or if nothing is full
 */
export function predictFix(id, facts, resources = []) {
  const { throughputPerSec: nowPerSec } = facts;
  const isCpu = CPU.includes(id);
  if (!nowPerSec || !(isCpu || FIXED.includes(id))) return null;
  // Requests need the CPU, and other programs have it.
  const isBeside = facts.isMachineFull && facts.hasBackgroundLoad;
  if (isBeside && facts.isCpuDoubt && !isCpu) return null;
  const { kind, isSure, shareAt } = findRemoved(id, facts);
  // These may work for requests, unless what does is known: more requests at a time might gain nothing.
  const { waits, serviceCores } = facts;
  const areOutside =
    serviceCores == null && countServed(waits) >= (waits?.busyThreads ?? 0) * THRESHOLDS.smallPart;
  const isWider = WIDER.includes(id) && facts.why !== 'opening';
  const isOpen = !isSure || (isBeside && isWider && areOutside);
  /** @param {End} end of the interval of the removed share @returns {Model | null} */
  const fix = end => {
    const model = buildModel(id, facts, end);
    if (!model || isCpu) return model && addWorkers(model, facts, end);
    const isFree = id === 'pool' ? isOfSamples(facts) : isWider || id === 'loop';
    // At best a call goes, with the CPU of its client. A query stays.
    const areGone = id === 'external-call' && (facts.why !== 'turns' || end === 'high');
    const client = areGone ? (facts.httpClientCpu ?? 0) : 0;
    const shorter = shorten(shorten(model, kind, shareAt(end), facts), 'cpu', client, facts);
    const sharedPerSec = limitOfOuter(id, facts, end) * model.reached;
    const after = { ...shorter, slots: isFree ? null : model.slots, sharedPerSec };
    const busy = makeBusy(after, facts, end);
    // Threads of a worker may spend this part in parallel.
    const hasThreads = (waits?.slots ?? waits?.poolThreads ?? 0) > (facts.workers?.processes ?? 0);
    const free = end === 'high' && hasThreads ? shareInC(facts.paths) : 0;
    return { ...busy, freeSec: busy.cpuSec * free };
  };
  const [low, value, high] = [fix('low'), fix('value'), fix('high')];
  if (!low || !value || !high) return null;
  const lowest = findLowestRow(id, facts, resources);
  const most = lowest?.mostPerSec ?? ANY;
  const perSec = Math.min(solve(value), most);
  if (perSec <= nowPerSec || perSec === ANY) return null;
  const wide = widen({
    value: perSec,
    low: isOpen ? nowPerSec : Math.min(solve(low), perSec),
    high: Math.max(bound(high).perSec, perSec),
  });
  // Other programs may end: at the high end, the model has their cores.
  const kept = lowest?.id === 'machine' ? ANY : most;
  const range = { ...wide, high: Math.min(wide.high ?? ANY, kept) };
  // From no gain on, the model's own value is the best case.
  const isNone = (range.low ?? 0) <= nowPerSec;
  const middle = (nowPerSec + (range.high ?? perSec)) / 2;
  const afterPerSec = { ...range, value: isNone ? Math.min(perSec, middle) : perSec };
  const dependsOnSpread = solve(low) < solve({ ...low, slots: high.slots, workers: high.workers });
  const gain = compare(afterPerSec, nowPerSec);
  // Where the gain may be none, the text names the most.
  const [named, model] = isNone ? [range.high, high] : [perSec, value];
  const next = named === most ? (lowest?.id ?? 'none') : bound(model).id;
  return {
    nowPerSec,
    afterPerSec,
    gain,
    next,
    isMost: value.users === ANY,
    dependsOnSpread,
    // From nothing to several times the rate.
    ...(isUndecided(gain, 4) && { isVague: true }),
  };
}

/**
 * The lowest "at most" of the CPU that requests need after the fix as well. Without refused calls, they
 * need much less.
 * @param {BottleneckId} id @param {BottleneckFacts} facts @param {Resource[]} resources
 */
function findLowestRow(id, { why }, resources) {
  const rows = resources.filter(row => {
    if (row.id === 'workers' || row.id === 'gil') return !CPU.includes(id) && why !== 'refused';
    // A database that finds its rows faster needs less CPU.
    return row.id === 'quota' || (row.id === 'machine' && !OUTSIDE.includes(id));
  });
  return rows.toSorted((a, b) => (a.mostPerSec ?? ANY) - (b.mostPerSec ?? ANY))[0];
}

/**
 * The waits that end with the bottleneck, beside those of the queue for it; `isSure`: it is in the API, so all of them do.
 * @param {BottleneckId} id @param {BottleneckFacts} facts
 * @returns {{kind: string, isSure: boolean, shareAt: (end: End) => number}}
 */
function findRemoved(id, { waits, why, longestWait, locking, turns, refusedShare = 0, tries }) {
  const { kind = id, share = null } = longestWait ?? {};
  const ofKind = (/** @type {number} */ part) => (/** @type {End} */ end) =>
    part * shareOf(waits, id, end);
  const ofWait = (/** @type {End} */ end) => share?.[end] ?? share?.value ?? 0;
  if (id === 'wait') return { kind, isSure: kind === 'sleep' && tries === true, shareAt: ofWait };
  // With the refused calls go the pauses before the next ones; how long these calls took is not known.
  const calls = { low: 0, value: refusedShare, high: 1 };
  const pauses = (/** @type {End} */ end) => shareOf(waits, 'sleep', end) + ofKind(calls[end])(end);
  if (why === 'refused') return { kind, isSure: true, shareAt: pauses };
  if (why === 'turns' && turns) {
    // One alone still takes its time: that of the quickest one, or more.
    const { meanMs, aloneMs, share: part } = turns;
    const left = aloneMs / meanMs;
    const gone = { low: 1 - Math.sqrt(left), value: 1 - left, high: 1 };
    return { kind: id, isSure: true, shareAt: end => ofKind(part * gone[end])(end) };
  }
  const opened = waits?.kinds.find(({ where: [most] }) => most?.as === 'connect');
  if (opened && (opened.id === id || why === 'opening')) {
    // A new connection makes statements slower, too: at the high end all of these waits go.
    const part = (/** @type {End} */ end) => (end === 'high' ? 1 : (opened.where[0]?.share ?? 1));
    const shareAt = (/** @type {End} */ end) => shareOf(waits, opened.id, end) * part(end);
    return { kind: opened.id, isSure: true, shareAt };
  }
  // Whoever writes to a pipe with a slow reader holds the lock: with a queue between them, requests wait for neither.
  const written = (/** @type {End} */ end) => (end === 'low' ? 0 : shareOf(waits, 'file', end));
  if (id === 'lock' && waits?.holders?.doing.id === 'file')
    return { kind: 'file', isSure: true, shareAt: written };
  const lock = id === 'database' ? locking : null;
  const isLock = !OUTSIDE.includes(id) || !['row-write', 'message'].includes(lock?.by ?? 'message');
  const isSure = id === 'consumer' ? why === 'task' || waits?.background != null : isLock;
  return { kind: id, isSure, shareAt: ofKind(lock?.share ?? Number(OUTSIDE.includes(id))) };
}

/**
 * @param {Model} model @param {BottleneckFacts} facts @param {End} end
 * @returns {Model} with the CPU time of a request in a busy worker
 */
function makeBusy(model, { workers, isMachineFull }, end) {
  const idle = Math.max(0, 1 - ((workers?.cores ?? 0) * model.stretch) / (workers?.processes ?? 1));
  const more = MORE_IN_IDLE[end === 'value' && isMachineFull ? 'beside' : end];
  return shortenCpu(model, 1 - 1 / (1 + more * idle));
}

/** @param {Model} model @param {number} share that is removed @returns {Model} */
function shortenCpu(model, share) {
  const gone = model.cpuSec * share;
  const machineSec = model.machineSec - gone / model.stretch;
  return { ...model, cpuSec: model.cpuSec - gone, machineSec };
}

/**
 * A request that waits for `id` while it holds an outer lock, or a place in a pool, still holds that for the rest of its
 * time. At the high end, only while it holds `id`.
 * @param {BottleneckId} id @param {BottleneckFacts} facts @param {End} end
 * @returns {number} most requests/s through what is around it, without that wait
 */
function limitOfOuter(id, { waits, throughputPerSec, outerPool }, end) {
  const { of, doing, threads = 0, waiting = 0 } = waits?.holders ?? {};
  if (!throughputPerSec || !doing) return ANY;
  if (of !== id) return doing.id === SHARED[id] ? throughputPerSec / (1 - doing.share) : ANY;
  const { capacity, inUse } = outerPool ?? {};
  const others = end === 'high' ? 0 : (inUse ?? 0) - waiting;
  return (throughputPerSec * (capacity ?? ANY)) / Math.max(threads, others);
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
      const gainWith = (/** @type {number} */ part) => gainOf(id, model, [path], facts, part);
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
 * @returns {Estimate | null} null if the model does not fit the run, or if it says too little
 */
export function predictShorter(id, facts, paths) {
  const model = buildModel(id, facts);
  const isKnown = hasPaths(id) && paths.every(({ kind }) => isPlaced(id, kind, facts));
  const gain = model && isKnown ? gainOf(id, model, paths, facts) : null;
  return gain && isUndecided(gain) ? null : gain;
}

/**
 * @param {BottleneckId} id @param {Model} model @param {RequestPath[]} paths @param {BottleneckFacts} facts
 * @param {number} [part] of the paths that is removed
 * @returns {Estimate}
 */
function gainOf(id, model, paths, facts, part = 1) {
  const times = (/** @type {End} */ end) => {
    const own = (end === 'low' && CPU.includes(id) && buildModel(id, facts, end)) || model;
    const shorter = paths.reduce(
      (left, { kind, share }) => shorten(left, kind, part * (share[end] ?? share.value), facts),
      makeBusy(own, facts, end),
    );
    return solve(shorter) / solve(makeBusy(own, facts, 'value'));
  };
  return compare(widen({ value: times('value'), low: times('low'), high: times('high') }), 1);
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

/** @param {Estimate} perSec @param {number} nowPerSec */
const compare = (perSec, nowPerSec) => mapEstimate(perSec, own => Math.max(0, own / nowPerSec - 1));

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
  const { waitSec, sharedPerSec, inside } = model;
  if (kind === 'cpu') return shortenCpu(model, share);
  const holders = Math.max(waits?.holders?.threads ?? 0, countRequests(waits, kind));
  const held = isHeld(kind, facts) ? Math.min(1, (share * inside) / holders) : 0;
  return {
    ...model,
    waitSec: Math.max(0, waitSec - (share * inside) / (throughputPerSec ?? ANY)),
    sharedPerSec: sharedPerSec / Math.max(0.01, 1 - held),
  };
}
