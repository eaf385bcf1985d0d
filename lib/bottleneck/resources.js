/**
 * Resources that requests hold for part of their time while others wait. By the utilisation law (Denning and Buzen,
 * "The Operational Analysis of Queueing Network Models", 1978), c units of a resource, each request using one for
 * D seconds, allow c ÷ D requests per second.
 */

import { sum } from '../math/summary.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { GatheredFacts, Resource } from '../facts/bottleneck.d.ts' */

/** Mean number of waiting or holding requests below which a resource gets no row. */
const WORTH_A_ROW = 0.05;

/** Two measurements of one thing differ by less. */
const MEASURED_TWICE = 1.1;

/** @typedef {Pick<Resource, 'id' | 'capacity' | 'inUse' | 'queue'> & Partial<Resource>} Measured */

/**
 * @param {GatheredFacts} facts
 * @returns {Resource[]} in the order in which a request takes them
 */
export function listResources(facts) {
  const { throughputPerSec } = facts;
  return [measureSlots, measureLoop, measureQueues, measureCalls, measureCpu].flatMap(measure =>
    measure(facts).map(resource => complete(resource, throughputPerSec)),
  );
}

/** @param {Measured} measured @param {number | null} perSec @returns {Resource} */
function complete(measured, perSec) {
  // More in use than there is: what was counted as in use, or as its capacity, is not that.
  const isKnown = (measured.inUse ?? 0) <= (measured.capacity ?? 0) * MEASURED_TWICE;
  const capacity = isKnown ? measured.capacity : null;
  const inUse = measured.inUse && Math.min(measured.inUse, capacity ?? Infinity);
  const utilisation = capacity && inUse !== null ? inUse / capacity : null;
  const { mostPerSec = perSec && utilisation ? perSec / utilisation : null } = measured;
  const isReached = perSec !== null && perSec > (mostPerSec ?? Infinity) * MEASURED_TWICE;
  return {
    utilisation,
    demandMs: perSec && inUse !== null ? (1000 * inUse) / perSec : null,
    ...measured,
    ...{ capacity, inUse, mostPerSec: isReached ? null : mostPerSec },
    holders: measured.holders ?? null,
  };
}

/** @type {('lock' | 'pool')[]} */
const LOCK_AND_POOL = ['lock', 'pool'];

/** @param {GatheredFacts} facts @returns {Measured[]} */
function measureSlots({ waits, inFlight }) {
  if (!waits?.slots && !waits?.poolThreads) return [];
  const queue = inFlight && Math.max(0, inFlight.client - inFlight.inside);
  return [{ id: 'slots', capacity: waits.slots, inUse: waits.busySlots, queue: queue ?? null }];
}

/** A loop is in use while it calculates and while a call without `await` blocks it. @param {GatheredFacts} facts @returns {Measured[]} */
function measureLoop({ loopWaits, workers }) {
  if (!loopWaits || !workers) return [];
  const inUse = workers.cores + loopWaits.share.value * workers.processes;
  return [{ id: 'loop', capacity: workers.processes, inUse, queue: null }];
}

/** Locks, one per worker process, and pools of connections. @param {GatheredFacts} facts @returns {Measured[]} */
function measureQueues({ waits, workers }) {
  return LOCK_AND_POOL.flatMap(id => {
    const queue = countRequests(waits, id);
    if (queue < WORTH_A_ROW) return [];
    const holders = waits?.holders?.of === id ? waits.holders : null;
    // Requests wait for a connection, so all are in use: the number of holders is the size of the pool.
    const inUse = holders?.threads ?? null;
    // One holder for several workers: they share the lock, through a file or a database.
    const processes = workers?.processes ?? 1;
    const locks = (inUse ?? 0) < processes * THRESHOLDS.oneInside ? 1 : processes;
    const capacity = id === 'lock' && holders ? locks : inUse;
    return [{ id, capacity, inUse, queue, holders }];
  });
}

/** Databases and other services: their limits are not visible from here. @param {GatheredFacts} facts @returns {Measured[]} */
function measureCalls({ waits }) {
  return /** @type {const} */ (['database', 'external-call', 'child-process'])
    .map(id => ({ id, capacity: null, inUse: countRequests(waits, id), queue: null }))
    .filter(({ inUse }) => inUse >= WORTH_A_ROW);
}

/** The GIL lets one thread of a process run at a time. @param {GatheredFacts} facts @returns {Measured[]} */
function measureCpu({ workers, parts, host, quota, throughputPerSec, ...facts }) {
  /** @type {Measured[]} */
  const resources = [];
  if (workers) {
    const id = (workers.threads ?? 1) >= 2 ? 'gil' : 'workers';
    const capacity = Math.max(workers.processes, workers.cores);
    const use = { inUse: workers.cores, queue: null };
    resources.push({ id, capacity, ...use });
    if (quota) resources.push({ id: 'quota', capacity: quota.quotaCores, ...use });
  }
  if (host) {
    // The CPU of other programs does not grow with the load.
    const beside = (facts.generatorCores ?? 0) + (facts.childCores ?? 0);
    const own = sum(parts.map(({ cores }) => cores)) + beside;
    const free = host.cpus - Math.max(host.cores, own) + own;
    const mostPerSec = throughputPerSec && own > 0 ? (throughputPerSec * free) / own : null;
    const demandMs = throughputPerSec && (1000 * own) / throughputPerSec;
    const use = { capacity: host.cpus, inUse: host.cores, queue: null };
    resources.push({ id: 'machine', ...use, demandMs, mostPerSec });
  }
  return resources;
}

/**
 * A database or another service works for at most as many requests as wait for it, and needs at most a core for each.
 * @param {Pick<GatheredFacts, 'waits'>['waits']} waits
 */
export function countServed(waits) {
  return countRequests(waits, 'database') + countRequests(waits, 'external-call');
}

/**
 * Mean number of requests in a state.
 * @param {GatheredFacts['waits']} waits
 * @param {string} kind
 */
export function countRequests(waits, kind) {
  return (waits?.busyThreads ?? 0) * shareOf(waits, kind);
}

/** Share of the time of requests. @param {GatheredFacts['waits']} waits @param {string} kind @param {'low' | 'value' | 'high'} [end] */
export function shareOf(waits, kind, end = 'value') {
  const share = waits?.kinds.find(({ id }) => id === kind)?.share;
  return share?.[end] ?? share?.value ?? 0;
}
