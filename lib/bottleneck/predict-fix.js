/**
 * What the throughput of a closed loop becomes without the bottleneck: bounds first, then mean value analysis for the
 * users that the run had (Lazowska et al., "Quantitative System Performance", 1984, chapters 5 and 6).
 */
import { least, sum } from '../math/summary.js';
import { countRequests } from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, BottleneckId, Fix } from '../facts/bottleneck.d.ts' */
/** @import { RequestState } from '../facts/profile-report.d.ts' */

/**
 * Seconds of a completed request, and what it shares with others.
 * @typedef {object} Model
 * @property {number} users
 * @property {number} thinkSec outside of the target, where nothing queues
 * @property {number | null} slots requests inside at a time; null: any number
 * @property {number} waitSec inside, without a CPU
 * @property {number} cpuSec of a worker
 * @property {number} workers
 * @property {number} machineSec of the machine's cores: of workers and of the load generator
 * @property {number} cpus
 */

/** The state of requests that goes with each; `thread-pool`: threads for all. @type {Partial<Record<BottleneckId, RequestState>>} */
const REMOVED = {
  lock: 'lock',
  pool: 'pool',
  database: 'database',
  'external-call': 'external-call',
  slots: 'thread-pool',
  loop: 'thread-pool',
};

/** @type {Record<'low' | 'value' | 'high', 'low' | 'value' | 'high'>} */
const OPPOSITE = { low: 'high', value: 'value', high: 'low' };

/**
 * @param {BottleneckId} id
 * @param {BottleneckFacts} facts
 * @returns {Fix | null} null in an open loop, which brings no more requests, or where it is not known
 */
export function predictFix(id, facts) {
  const model = buildModel(facts);
  const { waits, throughputPerSec: nowPerSec } = facts;
  const removed = REMOVED[id];
  if (!model || !waits || !nowPerSec || removed === undefined) return null;
  // Behind a lock whose holder waits for it, the others wait for it, too.
  const isBehind = (/** @type {string} */ kind) =>
    kind === 'lock' && waits.holders?.doing.id === removed;
  const shares = waits.kinds.filter(one => one.id === removed || isBehind(one.id));
  /** @param {'low' | 'value' | 'high'} end of the removed share's interval @returns {Model} */
  const fix = end => {
    const share = sum(shares.map(one => one.share[end] ?? one.share.value));
    const gone = (waits.busyThreads * Math.min(1, share)) / nowPerSec;
    const slots = removed === 'thread-pool' ? null : model.slots;
    // The more of its time the loop is blocked, the longer each request takes by itself.
    const blocked = facts.loopWaits?.share;
    const longer = blocked ? (blocked[OPPOSITE[end]] ?? blocked.value) / blocked.value : 1;
    return { ...model, slots, waitSec: Math.max(0, model.waitSec * longer - gone) };
  };
  const [low, value, high] = [solve(fix('low')), solve(fix('value')), bound(fix('high')).perSec];
  const afterPerSec = { value, low: Math.min(low, value), high: Math.max(high, value) };
  if (afterPerSec.value <= nowPerSec) return null;
  return {
    nowPerSec,
    afterPerSec,
    gain: {
      value: value / nowPerSec - 1,
      low: Math.max(0, afterPerSec.low / nowPerSec - 1),
      high: afterPerSec.high / nowPerSec - 1,
    },
    next: bound(fix('value')).id,
  };
}

/** @param {BottleneckFacts} facts @returns {Model | null} */
function buildModel(facts) {
  const { pressure, waits, loopWaits, workers, host, throughputPerSec } = facts;
  if (pressure?.id !== 'waiting' || !waits || !workers || !throughputPerSec) return null;
  const { users, share } = pressure.facts;
  // Where a worker has nothing free, whoever is not inside queues; else they are on their way.
  const ofWorker = (waits.slots ?? Number.POSITIVE_INFINITY) / workers.processes;
  const isFull = waits.busySlotsOfFullest >= ofWorker * THRESHOLDS.fullSlots;
  const onTheWay = isFull || loopWaits ? 0 : Math.max(0, users * share - waits.busyThreads);
  const running = countRequests(waits, 'cpu') + countRequests(waits, 'gil');
  // A loop waits for one request at a time, while all others of its worker wait for the loop.
  const waiting = loopWaits
    ? loopWaits.share.value * workers.processes
    : Math.max(0, waits.busyThreads - running);
  return {
    users,
    thinkSec: (users * (1 - share) + onTheWay) / throughputPerSec,
    slots: waits.slots,
    waitSec: waiting / throughputPerSec,
    cpuSec: workers.cores / throughputPerSec,
    workers: workers.processes,
    machineSec: (workers.cores + (facts.generatorCores ?? 0)) / throughputPerSec,
    cpus: host?.cpus ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Asymptotic bounds: what queues nowhere, and what is full.
 * @param {Model} model
 * @returns {{perSec: number, id: BottleneckId}} the lowest, and what sets it; `none`: the users
 */
function bound({ users, thinkSec, slots, waitSec, cpuSec, workers, machineSec, cpus }) {
  /** @type {{id: BottleneckId, perSec: number}[]} */
  const bounds = [
    { id: 'none', perSec: users / (thinkSec + waitSec + cpuSec) },
    { id: 'slots', perSec: (slots ?? Number.POSITIVE_INFINITY) / (waitSec + cpuSec) },
    { id: 'workers', perSec: workers / cpuSec },
    { id: 'machine', perSec: cpus / machineSec },
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
  const inside = slots === null ? free : throughputOf(Math.min(slots, Math.round(users)), 0);
  return Math.min(free, inside, bound(model).perSec);
}
