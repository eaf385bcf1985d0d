/** Bottlenecks of runs that are made of a few facts: what requests wait for, how long the server has them, and its pools. */
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import { makeGroup, makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';
import { PRESSED } from './runs-table.js';

/** @typedef {import('../../../lib/run/facts/load-report.d.ts').PoolUse} PoolUse */

export const CONSUMER = { function: 'consume', file: 'jobs.py', threads: 1 };
export const THREADS = /** @type {PoolUse} */ ({
  kind: 'gthread',
  capacity: 16,
  inUse: 8,
  waiting: 0,
});

/** @param {any} given as of `makeRecorded` @param {any} [more] facts @param {object} [cpu] more of its CPU */
export function findByRecorded(given, more = {}, cpu = {}) {
  const recorded = makeRecorded(given);
  Object.assign(recorded.cpu ?? {}, cpu);
  const parts = { run: makeRunInfo(), load: makeLoad(PRESSED), ...recorded, ...more };
  return findBottleneck(gatherRunFacts(parts));
}

/** @param {any} shares @param {any} [more] */
export const findByWaits = (shares, more = {}) =>
  findByRecorded({
    waits: { ...makeWaits(shares, { slots: 16, busy: 8, fullest: 8 }), ...more },
  });

/** 8 users; 20 requests/s, which the workers have for so long each. @param {number} serverMs @param {any} [profile] */
export const findByServer = (serverMs, profile = {}) =>
  findByRecorded(
    { cores: [0.05], ...profile },
    { costs: { endpoints: [{ requests: 400, serverMsPerRequest: serverMs }] } },
  );

/** The network takes at least `minMs` of each request. @param {any} slots @param {number} [minMs] */
export function findInFront(slots, minMs = 0.2, more = {}) {
  const load = makeLoad(PRESSED);
  load.http.connections.tcp = /** @type {any} */ ({ minMs });
  const waits = makeWaits({ sleep: 0.9, cpu: 0.1 }, slots);
  return findByRecorded({ cores: [0.1], waits }, { load, ...more });
}

/** @param {PoolUse[]} pools @param {any} [recorded] @param {any} [inFlight] */
export function findByPools(pools, recorded = {}, inFlight = { client: 8, inside: 7.9 }) {
  const parts = {
    run: makeRunInfo(),
    load: { ...makeLoad(PRESSED), pools },
    ...makeRecorded(recorded),
  };
  return findBottleneck({ ...gatherRunFacts(parts), inFlight });
}

/** Most requests wait for a thread of a pool, whose threads begin late. */
export function findLateThreads() {
  const shares = { 'thread-pool': 0.78, sleep: 0.14, cpu: 0.06 };
  const waits = { ...makeWaits(shares, { slots: 3, busy: 2.2 }), poolOf: 'anyio' };
  return findByRecorded({ cores: [0.13], hostCores: 4, waits, cpuMs: 3, queuedMs: 18 });
}

/** The threads of a loop, counted while requests wait for them. @param {boolean} hasProfile */
export function findByLoopThreads(hasProfile) {
  const pool = { kind: /** @type {const} */ ('to_thread'), capacity: 6, inUse: 5.9, waiting: 2 };
  const shares = { 'thread-pool': 0.25, sleep: 0.75 };
  const slots = { slots: null, busy: 5.5, fullest: 5.5 };
  const waits = { ...makeWaits(shares, slots), poolOf: 'executor', suspended: 2 };
  return findByPools([pool], hasProfile ? { waits } : {});
}

/** Requests of a loop wait for six threads of an executor; samples show four of them. */
export function findByExecutor() {
  const pool = { kind: /** @type {const} */ ('executor'), capacity: 6, inUse: 6, waiting: 14 };
  const shares = { 'thread-pool': 0.68, 'external-call': 0.3, cpu: 0.02 };
  const slots = { ...makeWaits(shares, { slots: 4, busy: 14.6 }), busySlots: 3.8 };
  const waits = { ...slots, poolOf: 'executor', suspended: 10.6 };
  const load = { ...makeLoad({ ...PRESSED, users: 24, inFlight: () => 23 }), pools: [pool] };
  const costs = { endpoints: [{ requests: 400, serverMsPerRequest: 1000 }] };
  return findByRecorded({ cores: [0.06], hostCores: 0.4, waits }, { load, costs });
}

/** Other programs leave neither the load generator nor the server a core. @param {{sleep: number, inside: number, sign?: string, others?: any}} given */
export function findStarved({ sleep, inside, others = true }) {
  const load = makeLoad({ ...PRESSED, isGeneratorLimit: true, responseMs: 400 });
  for (const sign of /** @type {any[]} */ (load.generator.signs))
    Object.assign(sign, { id: 'starved', utilization: 0.98, cores: 0.004, pauseMaxMs: 0 });
  const rest = sleep > 0.5 ? { client: 1 - sleep } : { cpu: 1 - sleep };
  const waits = makeWaits({ sleep, ...rest }, { slots: 12, busy: inside });
  const kernel = { cpuMs: 3, queuedMs: 280, cores: [0.06], hostCores: others ? 2 : 1 };
  const costs = { endpoints: [{ requests: 400, serverMsPerRequest: (1000 * inside) / 20 }] };
  const more = { run: makeRunInfo(2), load, costs };
  return findByRecorded({ ...kernel, waits }, more, { generatorCores: 0.02 });
}

/** A lock is held by a thread that writes to a file or a pipe. */
export function findHeldByPipe() {
  const doing = { id: 'file', share: 1 };
  const holders = { of: 'lock', function: 'audit', file: 'log.py', threads: 1, doing };
  return findByWaits({ lock: 0.86, file: 0.13, cpu: 0.01 }, { holders });
}

/** Threads of an executor take a lock, which one of them holds. @param {any} [more] of its holders */
export function findLocked(more = {}) {
  const own = { kind: /** @type {const} */ ('executor'), capacity: 4, inUse: 3.9, waiting: 3.5 };
  const shares = { 'thread-pool': 0.5, lock: 0.36, sleep: 0.13, cpu: 0.01 };
  const doing = { id: 'sleep', share: 1 };
  const holders = {
    of: 'lock',
    function: 'render',
    file: 'shop.py',
    threads: 1,
    waiting: 2.9,
    doing,
  };
  const waits = makeWaits(shares, { slots: 16, busy: 8, fullest: 8 });
  return findByPools([THREADS, own], {
    cores: [0.05],
    waits: { ...waits, holders: { ...holders, ...more } },
  });
}

/** Of an entry of TABLE. @param {any} facts */
export function findTabled({ load, profile, balance, throttled }) {
  const target = throttled ? { share: throttled, throttledMs: 1, quotaCores: 1 } : null;
  return findBottleneck(
    gatherRunFacts({
      run: makeRunInfo(),
      load: makeLoad(load),
      ...(profile === null ? { cpu: null, profile: null } : makeRecorded(profile)),
      balance: balance ? { workers: null, backends: makeGroup(balance) } : null,
      throttling: { target },
    }),
  );
}

/** A worker with one thread, on two cores that other programs use. @param {number} wantedShare @param {any} shares */
export function findWanting(wantedShare, shares) {
  const wanting = { queuedShare: 0.46, wantedShare };
  const kernel = { cpuMs: 26, queuedMs: 24, cores: [0.51], wanting, hostCores: 2 };
  const waits = makeWaits(shares, { slots: 1, busy: 1 });
  return findByRecorded({ ...kernel, waits }, { run: makeRunInfo(2) }, { generatorCores: 0.05 });
}

/** C code, which no rule names. */
const HASHES = { id: 'other', share: 1 };

/** A worker with eight threads, on two cores that other programs use. `share`: of CPU in samples @param {{cores: number, queuedMs: number, perSec: number, share: number, kind?: string}} measured */
export function findThreadsBeside({ cores, queuedMs, perSec, share, kind = 'other' }) {
  const holders = { of: 'lock', function: 'sign', file: 'key.py', threads: 0.8, doing: HASHES };
  const waits = {
    ...makeWaits({ cpu: share, [kind]: 1 - share }, { slots: 8, busy: 7 }),
    holders: kind === 'lock' ? holders : null,
  };
  const kernel = { cpuMs: (1000 * cores) / perSec, queuedMs, cores: [cores], hostCores: 2 };
  const load = makeLoad({ ...PRESSED, responseMs: 7000 / perSec });
  load.http.meanRatePerSec = perSec;
  return findByRecorded(
    { ...kernel, waits },
    { run: makeRunInfo(2), load },
    { generatorCores: 0.05 },
  );
}

/**
 * Beside other programs on two cores.
 * @param {Record<string, number>} shares @param {any} kernel @param {number} responseMs @param {object} [cpu]
 */
export function measureBeside(shares, kernel, responseMs, cpu = {}) {
  const waits = makeWaits(shares, { slots: null, busy: 7 });
  const recorded = makeRecorded({ cores: [0.2], hostCores: 2, waits, ...kernel });
  Object.assign(recorded.cpu, { generatorCores: 0.1, ...cpu });
  const load = makeLoad({ ...PRESSED, responseMs });
  const measured = { run: makeRunInfo(2), load, ...recorded };
  return { ...measured, bottleneck: findBottleneck(gatherRunFacts(measured)) };
}

/** Threads that wait for the GIL, whose holder other programs keep from a core. */
export function measureGil() {
  const kernel = { cpuMs: 24, queuedMs: 37, cores: [0.7] };
  const { bottleneck: _, ...measured } = measureBeside({ cpu: 0.83, other: 0.17 }, kernel, 228);
  measured.load.http.meanRatePerSec = 28;
  return { ...measured, bottleneck: findBottleneck(gatherRunFacts(measured)) };
}

/** The database of the API has more CPU than its workers. */
export const measureService = () =>
  measureBeside({ database: 0.6, cpu: 0.4 }, { cpuMs: 20, queuedMs: 5 }, 390, {
    generatorCores: 0.35,
    serviceCores: 1.2,
  });
