/** What limits the throughput: rules in order, the first that holds is told. Thresholds have their reasons. */
import { formatCount, formatNumberOf, formatPercent, formatRoughShare } from '../../format.js';

/** @typedef {import('./limit-facts.js').LimitFacts} LimitFacts */
/** @typedef {import('../limit.d.ts').Limit} Limit */

/** Workers that use more than this of a core each are CPU-bound (design.md, what-if). */
const CPU_BOUND_CORES = 0.8;
/**
 * Or, on a machine with idle CPU: there is always a request in each of them that runs or wants to. A core
 * that they don't use then is what the profiler and the hand-over between threads take.
 */
const WANTING_THREADS = 0.9;
const LEAST_CORES = 0.5;
/** Above this share of the machine's cores in use, everything on it takes CPU from everything else. */
const MACHINE_FULL = 0.9;
/** So much of a core must be idle before one can say that another worker would use it. */
const IDLE_CORES = 0.5;
/** Queueing at a pool of threads grows with 1 ÷ (1 − utilisation): at 0.9 a request waits nine times its service. */
const SLOTS_FULL = 0.9;
/** Slots of workers are taken unevenly when the mean is below this share of the fullest. */
const OTHERS_FREE = 0.75;
/** One worker is full and another has half of its work at most. */
const FULL_WORKER = 0.85;
/** What requests do most of the time. */
const MOST = 0.5;

/** @type {{id: Limit['id'], holds: (facts: LimitFacts) => boolean, tell: (facts: LimitFacts) => string}[]} */
export const LIMIT_RULES = [
  {
    id: 'generator',
    holds: ({ sign }) => sign !== null,
    tell: ({ workers }) =>
      `${workers ? `${describeCores(workers)}, but the` : 'The'} load generator could not send more: what the API can serve does not follow from this run.`,
  },
  {
    id: 'imbalance',
    holds: facts =>
      facts.unevenBackends !== null && (facts.pressure.isPressed === true || isCpuBound(facts)),
    tell: ({ unevenBackends }) => {
      const { max = 0, mean = 0, members = [] } = unevenBackends ?? {};
      const total = mean * members.length;
      const amount = max >= total * 0.995 ? 'all' : `${formatCount(max)} of`;
      return `One of ${members.length} instances got ${amount} ${formatCount(total)} requests: what the others could serve was not used.`;
    },
  },
  {
    id: 'gil',
    holds: facts =>
      isCpuBound(facts) && (facts.workers?.threads ?? 1) > 1 && idleCores(facts.host) >= IDLE_CORES,
    tell: ({ workers, host }) =>
      `${workers ? describeCores(workers) : ''} though each has ${workers?.threads} threads: Python runs one of them at a time (GIL), so CPU limits the throughput while ${idleCores(host).toFixed(1)} of ${host?.cpus} cores are idle.`,
  },
  {
    id: 'workers',
    holds: isCpuBound,
    tell: ({ workers }) =>
      `${workers ? describeCores(workers) : ''}: their CPU limits the throughput.`,
  },
  {
    id: 'imbalance',
    holds: ({ workers }) =>
      workers !== null && workers.max >= FULL_WORKER && workers.min <= workers.max / 2,
    tell: ({ workers }) =>
      `One worker used ${workers?.max.toFixed(2)} of a core and another ${workers?.min.toFixed(2)}: what waits for the busy one is not served by the idle one.`,
  },
  {
    id: 'quota',
    holds: ({ quotaCores, pressure }) => quotaCores !== null && pressure.isPressed !== false,
    tell: ({ quotaCores }) =>
      `The container of the API may use ${quotaCores} cores and was held back at that: the quota limits the throughput.`,
  },
  // On a full machine whatever is waited for waits for a core as well.
  {
    id: 'machine',
    holds: ({ host, pressure }) => isMachineFull(host) && pressure.isPressed !== false,
    tell: ({ host, workers }) =>
      `${workers ? `${describeCores(workers)}, but the` : 'The'} machine had no idle CPU (${host?.cores.toFixed(1)} of ${host?.cpus} cores in use, the load generator among them): what limits the API alone can not be told from this run.`,
  },
  {
    id: 'slots',
    holds: ({ waits, workers }) =>
      waits?.slots != null &&
      (waits.busySlots >= waits.slots * SLOTS_FULL ||
        (isOneFull(waits, workers) && !isFilledUnevenly(waits, workers))) &&
      cpuShare(waits) < MOST,
    tell: ({ waits, workers }) =>
      `${describeTaken(waits)} taken${workers ? ` while workers used ${workers.mean.toFixed(2)} of a core each` : ''}: requests queue for a thread, and threads wait ${describeWait(waits)}.`,
  },
  {
    id: 'imbalance',
    holds: ({ waits, workers, pressure }) =>
      pressure.isPressed === true && isOneFull(waits, workers) && isFilledUnevenly(waits, workers),
    tell: ({ waits, workers }) =>
      `All ${workers?.threads} threads of one worker were taken, and ${formatFew(waits?.busySlots ?? 0)} of ${waits?.slots} of all ${workers?.count}: connections stay with the worker that took them, and wait there while others are idle.`,
  },
  ...['pool', 'database', 'external-call', 'lock'].map(kind => ({
    id: /** @type {Limit['id']} */ (kind),
    holds: (/** @type {LimitFacts} */ { waits, pressure }) =>
      pressure.isPressed === true && shareOf(waits, kind) >= MOST,
    tell: (/** @type {LimitFacts} */ { waits, workers }) =>
      `Requests wait ${describeWait(waits)}${workers ? `, while workers used ${workers.mean.toFixed(2)} of a core each` : ''}: that limits the throughput.`,
  })),
  {
    id: 'none',
    holds: ({ pressure }) => pressure.isPressed === false,
    tell: ({ workers, waits }) =>
      `Nothing limits the throughput at this load: ${[
        workers && describeCores(workers),
        waits?.slots &&
          `${formatFew(waits.busySlots)} of ${waits.slots} slots were taken on average`,
        'no queue grew',
      ]
        .filter(Boolean)
        .join(', ')}.`,
  },
  {
    id: 'none',
    holds: ({ pressure, waits, workers }) =>
      pressure.isPressed === true && workers !== null && cpuShare(waits) >= MOST,
    tell: ({ workers, pressure }) =>
      `${workers ? describeCores(workers) : ''}: worker CPU does not limit the throughput at this load; ${pressure.why}, so more users would get more.`,
  },
  {
    id: 'unknown',
    holds: () => true,
    tell: ({ workers, waits, pressure }) => {
      const cpu = workers
        ? `${describeCores(workers)}: worker CPU does not limit the throughput at this load`
        : "Not enough data to say what limits the throughput: the CPU time of the API's workers is not known";
      if (pressure.isPressed === null)
        return `${cpu}; whether anything does can not be told (${pressure.why}).`;
      if (!waits) return `${cpu}; what requests wait for was not recorded.`;
      return `${cpu}, and nothing that requests wait for stands out.`;
    },
  },
];

/** @param {number} n */
function formatFew(n) {
  return n < 0.1 ? 'hardly one' : n.toFixed(1);
}

/** @param {LimitFacts} facts */
function isCpuBound({ workers, host, waits, quotaCores }) {
  if (!workers) return false;
  if (workers.mean > CPU_BOUND_CORES) return true;
  if (quotaCores !== null) return false;
  const wanting = waits ? (waits.busyThreads * cpuShare(waits)) / workers.count : 0;
  return !isMachineFull(host) && workers.mean >= LEAST_CORES && wanting >= WANTING_THREADS;
}

/** @param {LimitFacts['host']} host */
function isMachineFull(host) {
  return host !== null && host.cores > host.cpus * MACHINE_FULL;
}

/** @param {LimitFacts['waits']} waits */
function describeTaken(waits) {
  const { slots = 0, busySlots = 0 } = waits ?? {};
  if (slots === 1) return 'The only slot (workers × threads) was';
  const taken = busySlots >= (slots ?? 0) - 0.05 ? 'All' : `${busySlots.toFixed(1)} of`;
  return `${taken} ${slots} slots (workers × threads) were`;
}

/** @param {LimitFacts['waits']} waits @param {LimitFacts['workers']} workers */
function isOneFull(waits, workers) {
  const threads = workers?.threads ?? null;
  return waits !== null && threads !== null && waits.busySlotsOfFullest >= threads * SLOTS_FULL;
}

/** @param {LimitFacts['waits']} waits @param {LimitFacts['workers']} workers */
function isFilledUnevenly(waits, workers) {
  if (!waits || !workers) return false;
  return waits.busySlots / workers.count <= waits.busySlotsOfFullest * OTHERS_FREE;
}

/** @param {LimitFacts['host']} host */
function idleCores(host) {
  return host ? Math.max(0, host.cpus - host.cores) : 0;
}

/** @param {LimitFacts['waits']} waits @param {string} id */
function shareOf(waits, id) {
  return waits?.kinds.find(kind => kind.id === id)?.share.value ?? 0;
}

/** @param {LimitFacts['waits']} waits */
function cpuShare(waits) {
  return shareOf(waits, 'cpu');
}

/** @param {NonNullable<LimitFacts['workers']>} workers */
function describeCores({ count, mean, max }) {
  return `${formatNumberOf(count, 'worker')} used ${mean.toFixed(2)} of a core each (the busiest ${max.toFixed(2)})`;
}

/** "for the database 93 % ± 2 of their time" @param {LimitFacts['waits']} waits */
function describeWait(waits) {
  const kind = waits?.kinds.find(({ id }) => id !== 'cpu');
  return kind
    ? `for ${kind.label} ${formatRoughShare(kind.share)} of their time`
    : `${formatPercent(0)} of their time`;
}
