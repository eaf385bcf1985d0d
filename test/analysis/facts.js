/** Hand-made parts of a report: just what rules look at, and quiet unless told otherwise. */

import { sumUpFailures } from '../../lib/analysis/load/failures.js';

/**
 * A load of so many seconds; functions of the second give what changes.
 * @param {object} [options]
 * @param {number} [options.lengthSec]
 * @param {'open' | 'closed'} [options.model]
 * @param {number | ((second: number) => number)} [options.users] active
 * @param {(second: number) => number} [options.inFlight]
 * @param {(second: number) => number} [options.requests] sent
 * @param {(second: number) => number | null} [options.p50Ms]
 * @param {number} [options.skipped]
 * @param {{name: string, count: number}[]} [options.errors]
 * @param {number} [options.responseMs] mean
 * @param {boolean} [options.isGeneratorLimit]
 * @param {number} [options.created]
 * @param {number | null} [options.emits] of socket.io
 */
export function makeLoad({
  lengthSec = 20,
  model = 'open',
  users = 4,
  inFlight = () => 1,
  requests = () => 20,
  p50Ms = () => 20,
  skipped = 0,
  errors = [],
  responseMs,
  isGeneratorLimit = false,
  created = 100,
  emits = null,
} = {}) {
  const sign = {
    id: 'busy',
    isLimit: true,
    worker: 1,
    seconds: 9,
    ofSeconds: 10,
    utilization: 0.97,
    cores: 0.9,
    isCrowded: false,
    lagMaxMs: 3,
    pauseMaxMs: 3,
  };
  const load = /** @type {any} */ ({
    windows: [{ startMs: 0, endMs: lengthSec * 1000 }],
    phases: [{ model, startMs: 0, endMs: lengthSec * 1000 }],
    resolutionMs: 1000,
    seconds: Array.from({ length: lengthSec }, (_, second) => ({
      startMs: second * 1000,
      requests: requests(second),
      usersActive: typeof users === 'number' ? users : users(second),
      inFlight: inFlight(second),
      p50Ms: p50Ms(second),
    })),
    http: {
      ...{ requests: lengthSec * 20, responses: lengthSec * 20, meanRatePerSec: 20, errorRate: 0 },
      connections: { dns: null, tcp: null, tls: null },
      totalTime: responseMs ? { meanMs: responseMs } : null,
    },
    endpoints: [],
    socketio: emits === null ? null : { emits, connects: null, connectErrors: null },
    users: { created, skipped, completed: created, failed: 0, byScenario: [] },
    errors,
    generator: { signs: isGeneratorLimit ? [sign] : [] },
  });
  return { ...load, failures: sumUpFailures(load) };
}

/**
 * What is known of a server that was recorded.
 * @param {object} [options]
 * @param {(number | null)[]} [options.cores] of each worker
 * @param {{queuedShare?: number, wantedShare?: number}} [options.wanting] of each worker
 * @param {number[]} [options.livedShares] of each worker; it was there all the time unless told
 * @param {number | null} [options.hostCores]
 * @param {any} [options.waits]
 * @param {any} [options.loopWaits]
 * @param {any[]} [options.causes]
 * @param {any} [options.causesTogether]
 * @param {number} [options.cpuMs] per request
 * @param {number | null} [options.queuedMs] per request; null: the kernel does not say
 */
export function makeRecorded({
  cores = [0.2, 0.2],
  livedShares = [],
  wanting = {},
  hostCores = 1,
  waits = null,
  loopWaits = null,
  causes = [],
  causesTogether = null,
  cpuMs = 10,
  queuedMs = null,
} = {}) {
  const requests = 400;
  const cpu = {
    workers: cores.map((one, index) => ({
      pid: index + 1,
      cores: one,
      livedShare: livedShares[index] ?? 1,
      ...wanting,
      ...(queuedMs === null ? {} : { queuedMs: (queuedMs * requests) / cores.length }),
    })),
    requests,
    threads: null,
    workerRestarts: 0,
    hostCores,
    basis: 'process-cpu',
    perRequest: { value: cpuMs, low: null, high: null },
  };
  const profile = {
    waits,
    loopWaits,
    causes,
    causesTogether,
    categories: [],
    hotPaths: [],
    samples: { active: 1000, waiting: 10, recorded: 1010 },
    segments: null,
    window: null,
  };
  return { cpu: /** @type {any} */ (cpu), profile: /** @type {any} */ (profile) };
}

/**
 * @param {Partial<Record<import('../../lib/run/facts/profile-report.d.ts').Waits['kinds'][number]['id'], number>>} shares
 * @param {{slots?: number | null, busy?: number, fullest?: number, suspended?: number}} [slots]
 */
export function makeWaits(
  shares,
  { slots = 16, busy = 4, fullest = busy / 2, suspended = 0 } = {},
) {
  return /** @type {import('../../lib/run/facts/profile-report.d.ts').Waits} */ ({
    looks: 200,
    rateHz: 5,
    slots,
    busySlots: busy,
    busySlotsOfFullest: fullest,
    busyThreads: busy,
    suspended,
    kinds: Object.entries(shares)
      .sort(([, a], [, b]) => b - a)
      .map(([id, value]) => ({
        id,
        label: `the ${id}`,
        share: { value, low: value - 0.05, high: value + 0.05 },
        where: [{ function: 'list_rows', file: 'views.py', share: 1 }],
      })),
    holders: null,
    background: null,
    ran: 0,
    table: /** @type {any} */ (null),
  });
}

/** @param {number} [cpus] */
export const makeRunInfo = (cpus = 4) =>
  /** @type {any} */ ({ status: 'complete', host: { cpus }, settings: [] });

/**
 * How requests (or CPU time) spread over members.
 * @param {number[]} amounts
 * @param {import('../../lib/run/facts/costs.d.ts').BalanceGroup['basis']} [basis]
 * @returns {import('../../lib/run/facts/costs.d.ts').BalanceGroup}
 */
export function makeGroup(amounts, basis = 'companion') {
  const sum = amounts.reduce((total, n) => total + n, 0);
  const isCpu = basis === 'process-cpu';
  return {
    basis,
    expected: amounts.length,
    members: amounts.map((n, index) => ({
      id: `m${index}`,
      requests: isCpu ? null : n,
      cpuMs: isCpu ? n : null,
    })),
    min: Math.min(...amounts),
    mean: sum / amounts.length,
    median: amounts.toSorted((a, b) => a - b)[amounts.length >> 1] ?? 0,
    max: Math.max(...amounts),
  };
}

/**
 * A timeline of whole seconds.
 * @param {object} options
 * @param {number} options.lengthSec
 * @param {(second: number) => number | null} [options.p50Ms]
 * @param {((second: number) => number)[]} [options.rssBytes] of each worker
 */
export function makeTimeline({ lengthSec, p50Ms = () => 20, rssBytes = [] }) {
  const seconds = Array.from({ length: lengthSec }, (_, second) => second);
  return /** @type {any} */ ({
    edgesMs: [...seconds, lengthSec].map(second => second * 1000),
    basis: 'seconds',
    load: { requests: seconds.map(() => 20), p50Ms: seconds.map(p50Ms) },
    workers: rssBytes.map((of, index) => ({
      pid: index + 1,
      cpuMs: seconds.map(() => 200),
      rssBytes: seconds.map(of),
    })),
  });
}

/** The same numbers for the same seed, around 0: a sum of uniform ones. @param {number} seed */
export function makeNoise(seed) {
  let state = seed;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  return () => next() + next() + next() + next() - 2;
}
