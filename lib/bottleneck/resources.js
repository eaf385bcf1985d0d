/**
 * What requests hold for a part of their time while others wait for it. With the utilisation law (Denning and Buzen,
 * "The Operational Analysis of Queueing Network Models", 1978) c units of a resource, in use for
 * D seconds per completed request, allow c ÷ D requests per second.
 */

import { sum } from '../math/summary.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { GatheredFacts, Resource } from '../facts/bottleneck.d.ts' */

/** Fewer requests than this that wait, or that are in a place, on average, are not worth a row. */
const WORTH_A_ROW = 0.05;

/** @typedef {Pick<Resource, 'id' | 'capacity' | 'inUse' | 'queue'> & Partial<Resource>} Measured */

/**
 * @param {GatheredFacts} facts
 * @returns {Resource[]} from where a request comes in to what it waits for last
 */
export function listResources(facts) {
  const { throughputPerSec } = facts;
  return [measureSlots, measureLoop, measureQueues, measureCalls, measureCpu].flatMap(measure =>
    measure(facts).map(resource => complete(resource, throughputPerSec)),
  );
}

/** @param {Measured} measured @param {number | null} perSec @returns {Resource} */
function complete(measured, perSec) {
  const { capacity, inUse } = measured;
  const utilisation = capacity && inUse !== null ? Math.min(1, inUse / capacity) : null;
  return {
    utilisation,
    demandMs: perSec && inUse !== null ? (1000 * inUse) / perSec : null,
    mostPerSec: perSec && utilisation ? perSec / utilisation : null,
    ...measured,
    holders: measured.holders ?? null,
  };
}

/** @type {('lock' | 'pool')[]} */
const LOCK_AND_POOL = ['lock', 'pool'];

/** @param {GatheredFacts} facts @returns {Measured[]} */
function measureSlots({ waits, inFlight }) {
  if (!waits?.slots) return [];
  const queue = inFlight && Math.max(0, inFlight.client - inFlight.inside);
  return [{ id: 'slots', capacity: waits.slots, inUse: waits.busySlots, queue: queue ?? null }];
}

/** A loop is taken while it calculates, and while it waits in a call that is no `await`. @param {GatheredFacts} facts @returns {Measured[]} */
function measureLoop({ loopWaits, workers }) {
  if (!loopWaits || !workers) return [];
  const inUse = workers.cores + loopWaits.share.value * workers.processes;
  return [{ id: 'loop', capacity: workers.processes, inUse, queue: null }];
}

/** Locks (each worker has its own) and pools of connections. @param {GatheredFacts} facts @returns {Measured[]} */
function measureQueues({ waits, workers }) {
  return LOCK_AND_POOL.flatMap(id => {
    const queue = countRequests(waits, id);
    if (queue < WORTH_A_ROW) return [];
    const holders = waits?.holders?.of === id ? waits.holders : null;
    // A pool that is waited for has no connection left, so those who have one show its size.
    const inUse = holders?.threads ?? null;
    // One holder, while requests of several workers wait: a lock of all of them, in a file or a database.
    const processes = workers?.processes ?? 1;
    const locks = (inUse ?? 0) < processes * THRESHOLDS.oneInside ? 1 : processes;
    const capacity = id === 'lock' && holders ? locks : inUse;
    return [{ id, capacity, inUse, queue, holders }];
  });
}

/** What has no limit that can be seen from here. @param {GatheredFacts} facts @returns {Measured[]} */
function measureCalls({ waits }) {
  return /** @type {const} */ (['database', 'external-call'])
    .map(id => ({ id, capacity: null, inUse: countRequests(waits, id), queue: null }))
    .filter(({ inUse }) => inUse >= WORTH_A_ROW);
}

/** Python runs one thread of a process at a time (GIL). @param {GatheredFacts} facts @returns {Measured[]} */
function measureCpu({ workers, parts, host, quota, generatorCores, throughputPerSec }) {
  /** @type {Measured[]} */
  const resources = [];
  if (workers) {
    const id = (workers.threads ?? 1) >= 2 ? 'gil' : 'workers';
    const capacity = Math.max(workers.processes, workers.cores);
    resources.push({ id, capacity, inUse: workers.cores, queue: null });
    if (quota)
      resources.push({
        id: 'quota',
        capacity: quota.quotaCores,
        inUse: workers.cores,
        queue: null,
      });
  }
  if (host) {
    // What other programs use does not grow with the requests.
    const own = sum(parts.map(({ cores }) => cores)) + (generatorCores ?? 0);
    const free = host.cpus - Math.max(host.cores, own) + own;
    const mostPerSec = throughputPerSec && own > 0 ? (throughputPerSec * free) / own : null;
    const demandMs = throughputPerSec && (1000 * own) / throughputPerSec;
    const use = { capacity: host.cpus, inUse: host.cores, queue: null };
    resources.push({ id: 'machine', ...use, demandMs, mostPerSec });
  }
  return resources;
}

/**
 * Requests that do, or wait for, something of a kind: mean number.
 * @param {GatheredFacts['waits']} waits
 * @param {string} kind
 */
export function countRequests(waits, kind) {
  return (waits?.busyThreads ?? 0) * shareOf(waits, kind);
}

/** Of the time of requests. @param {GatheredFacts['waits']} waits @param {string} kind @param {'low' | 'value' | 'high'} [end] */
export function shareOf(waits, kind, end = 'value') {
  const share = waits?.kinds.find(({ id }) => id === kind)?.share;
  return share?.[end] ?? share?.value ?? 0;
}
