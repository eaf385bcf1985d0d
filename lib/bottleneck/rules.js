/** What limits the throughput: rules in order. The first that holds names the bottleneck. */

import { sum } from '../math/summary.js';
import { isSlowedByFullMachine } from './choke-point.js';
import { countRequests, countServed, shareOf } from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, BottleneckId, Part } from '../facts/bottleneck.d.ts' */
/** @import { RequestState } from '../facts/profile-report.d.ts' */

/** @typedef {(facts: BottleneckFacts) => boolean} Holds */
/** @typedef {Omit<BottleneckFacts, 'why' | 'areWorkersFull' | 'hasBackgroundLoad' | 'choke' | 'fullPart' | 'served'>} Judged */

/** @type {BottleneckId[]} */
const WAITED_FOR = ['pool', 'database', 'external-call', 'child-process', 'lock'];

/** @type {{id: BottleneckId, why?: string, holds: Holds}[]} `why`: which rule, where an id has several */
export const RULES = [
  { id: 'generator', holds: ({ generator }) => generator !== null },
  { id: 'unknown', why: 'nothing-good', holds: ({ study }) => study?.step === null },
  {
    id: 'stage',
    holds: facts => facts.choke !== null && !isSlowedByFullMachine(facts, facts.choke),
  },
  { id: 'quota', holds: facts => isHeldBack(facts) && facts.isSaturated !== false },
  // Spreading work over a saturated CPU gains nothing. The instances of a run may be on other machines.
  {
    id: 'imbalance',
    why: 'backends',
    holds: facts => isUnevenAndWanted(facts, 'backends') && !(facts.study && facts.isMachineFull),
  },
  {
    id: 'connections',
    holds: ({ study, served }) => study?.stuckInFlight != null && served !== null,
  },
  { id: 'component', holds: ({ fullPart }) => fullPart !== null },
  // The holder of the lock calculates, and no other request needs a core meanwhile.
  {
    id: 'lock',
    why: 'queued',
    holds: facts => facts.areWorkersFull && isAlone(facts) && isQueuedFor(facts, 'lock'),
  },
  {
    id: 'gil',
    holds: ({ areWorkersFull, workers, host }) =>
      areWorkersFull &&
      (workers?.threads ?? 1) >= 2 &&
      host !== null &&
      host.cpus - host.cores >= THRESHOLDS.idleCores,
  },
  {
    id: 'workers',
    holds: facts => facts.areWorkersFull && (!facts.isMachineFull || haveOwnCores(facts)),
  },
  { id: 'loop', holds: isLoopBlocked },
  // All threads are in use because their requests wait, but not for a core. More threads or cores would also wait.
  { id: 'lock', why: 'queued', holds: facts => isBehind(facts, 'lock', 'pool') },
  {
    id: 'pool',
    why: 'queued',
    holds: facts => isQueuedFor(facts, 'pool') || isBehind(facts, 'pool', 'lock'),
  },
  { id: 'lock', why: 'queued', holds: facts => isQueuedFor(facts, 'lock') },
  { id: 'consumer', holds: waitForOtherThread },
  {
    id: 'unknown',
    why: 'queue',
    holds: ({ isSaturated, waits }) => isSaturated === true && isMostly(waits, ['queue']),
  },
  {
    id: 'unknown',
    why: 'background-load',
    holds: facts =>
      isMachineAtEnd(facts) && (isMostlyBackground(facts) || isSaturatedByOthers(facts)),
  },
  { id: 'machine', holds: isMachineAtEnd },
  { id: 'imbalance', why: 'busiest-worker', holds: isOneWorkerFull },
  { id: 'imbalance', why: 'workers', holds: facts => isUnevenAndWanted(facts, 'workers') },
  { id: 'slots', why: 'taken', holds: areSlotsTaken },
  {
    id: 'imbalance',
    why: 'slots',
    holds: facts =>
      facts.isSaturated === true &&
      areSlotsOfOneFull(facts) &&
      areSlotsUneven(facts) &&
      isWorthSpreading(facts),
  },
  // Before the waits: as with threads, requests outside would not need to wait for those inside.
  { id: 'connections', holds: ({ served }) => served?.by === 'server' },
  ...waitRules(WAITED_FOR, 'waits', (facts, id) => {
    return facts.isSaturated === true && shareOf(facts.waits, id) >= THRESHOLDS.mostOfTime;
  }),
  // A profiled run of the variant knows what its requests wait for.
  ...waitRules([...WAITED_FOR, 'consumer', 'loop', 'slots'], 'own', (facts, id) => {
    return facts.isSaturated !== false && facts.study?.own?.id === id;
  }),
  { id: 'slots', why: 'served', holds: ({ served }) => served?.id === 'slots' },
  { id: 'connections', holds: ({ served }) => served?.id === 'connections' },
  { id: 'none', why: 'not-saturated', holds: ({ isSaturated }) => isSaturated === false },
  {
    id: 'none',
    why: 'more-users',
    // Users who wait or were refused; not requests that time out or become slower.
    holds: facts =>
      ['waiting', 'dropped'].includes(facts.pressure?.id ?? '') &&
      facts.workers !== null &&
      // Without the companion, no stack shows what coroutines await.
      facts.waits?.suspended !== null &&
      !facts.lostWorkers &&
      shareOf(facts.waits, 'cpu') >= THRESHOLDS.mostOfTime,
  },
  { id: 'unknown', why: 'nothing-full', holds: () => true },
];

/**
 * @param {BottleneckId[]} ids @param {string} why
 * @param {(facts: BottleneckFacts, id: BottleneckId) => boolean} holds
 */
function waitRules(ids, why, holds) {
  return ids.map(id => ({ id, why, holds: /** @type {Holds} */ (facts => holds(facts, id)) }));
}

/** Workers use a core each, or would without other programs and the profiler. @param {Judged} facts */
export function areWorkersFull(facts) {
  const { workers, waits, isRising } = facts;
  if (!workers) return false;
  const each = workers.cores / workers.processes;
  if (each > (isRising ? THRESHOLDS.fullWhileRising : THRESHOLDS.cpuBoundCores)) return true;
  if (isHeldBack(facts)) return false;
  if ((workers.wanting?.leastWantedShare ?? 0) >= THRESHOLDS.wantingThreads) return true;
  if (!waits || facts.isMachineFull) return false;
  const wanting = (waits.busyThreads * shareOf(facts.waits, 'cpu')) / workers.processes;
  // Not if one worker is full and another is idle.
  const least = workers.leastCores ?? each;
  return least >= THRESHOLDS.wantingCores && wanting >= THRESHOLDS.wantingThreads;
}

/** @param {Judged} facts @returns {Part | null} */
export function findFullPart({ parts, isRising, host }) {
  const full = isRising ? THRESHOLDS.fullWhileRising : THRESHOLDS.fullPart;
  const [fullest] = parts
    .filter(({ cores, mostCores }) => mostCores && cores >= full * mostCores)
    .sort((a, b) => b.cores / (b.mostCores ?? 1) - a.cores / (a.mostCores ?? 1));
  if (fullest || isRising) return fullest ?? null;
  return parts.find(part => isOneCoreEach(part, host)) ?? null;
}

/**
 * Does each process use one core, so that one of its threads does the work? With as many processes as cores, the
 * machine is the limit instead.
 * @param {Part} part @param {BottleneckFacts['host']} host
 */
function isOneCoreEach({ name, mostCores, cores, processes, threads }, host) {
  if (name === 'workers' || mostCores !== null || (host && processes >= host.cpus)) return false;
  const { oneThread, oneOfManyThreads } = THRESHOLDS;
  const [low = 0, high = 0] = (threads ?? 1) < 1.5 ? oneThread : oneOfManyThreads;
  return cores / processes >= low && cores / processes <= high;
}

/** @param {Pick<BottleneckFacts, 'quota'>} facts */
function isHeldBack({ quota }) {
  return quota !== null && quota.share >= THRESHOLDS.throttledBottleneck;
}

/**
 * Uneven work matters if the load exceeds the throughput, or, where that is unknown, if a process is full.
 * @param {BottleneckFacts} facts @param {'workers' | 'backends'} of
 */
function isUnevenAndWanted({ uneven, isSaturated, isRising, parts, areWorkersFull }, of) {
  const isOneFull = parts.some(({ busiestCores }) => busiestCores >= THRESHOLDS.fullWorker);
  const isWanted = isSaturated === true || (!isRising && (isOneFull || areWorkersFull));
  return uneven?.of === of && isWanted;
}

/**
 * Each worker has a core nearly to itself, even on a saturated machine, and there are more cores than workers. What
 * saturates the machine may be the service itself, so workers need more of their cores for it than beside other programs.
 * @type {Holds}
 */
function haveOwnCores(facts) {
  const { workers, host } = facts;
  if (!workers || !host || Math.round(workers.processes) >= host.cpus) return false;
  const least = isSaturatedByOthers(facts) ? THRESHOLDS.cpuBoundCores : THRESHOLDS.ownCore;
  return workers.cores / workers.processes >= least;
}

/** @type {Holds} */
function isMachineAtEnd(facts) {
  const { host, isMachineFull, isSaturated, isRising } = facts;
  if (!host || !isMachineFull || waitElsewhere(facts)) return false;
  return isRising ? host.cores >= host.cpus * THRESHOLDS.fullWhileRising : isSaturated !== false;
}

/** Processes outside the run use most of the CPU: perhaps programs that do not work for requests. @type {Holds} */
function isMostlyBackground({ hasBackgroundLoad, restCores, host }) {
  return hasBackgroundLoad && (restCores ?? 0) > (host?.cores ?? 0) / 2;
}

/** Without programs that do not work for requests, the CPU would be idle. @type {Holds} */
function isSaturatedByOthers({ hasBackgroundLoad, restCores, host, waits }) {
  if (!hasBackgroundLoad || !host || !waits || restCores === null) return false;
  const idle = host.cpus * THRESHOLDS.idleMachine;
  return host.cores - (restCores - countServed(waits)) <= idle;
}

/** @type {Holds} */
function isOneWorkerFull({ workers, isRising }) {
  if (!workers || workers.processes < 1.5 || isRising) return false;
  const { busiestCores: most, cores, processes } = workers;
  const others = workers.leastCores ?? (cores - most) / (processes - 1);
  return most >= THRESHOLDS.fullWorker && others <= most * THRESHOLDS.halfOfFullest;
}

/**
 * Requests mostly wait for something other than a core, even on a saturated machine. False for a variant, whose waits
 * are unknown.
 * @param {BottleneckFacts} facts
 */
function waitElsewhere({ waits, workers }) {
  const kinds = ['database', 'external-call', 'pool', 'queue', 'thread-pool', 'lock', 'sleep'];
  return (
    sum(kinds.map(kind => shareOf(waits, kind))) >= THRESHOLDS.nearlyAllTime &&
    shareOf(waits, 'cpu') + shareOf(waits, 'gil') <= THRESHOLDS.hardlyAnyTime &&
    (workers?.wanting?.queuedShare ?? 0) <= THRESHOLDS.hardlyAnyTime
  );
}

/** Calls without `await` block the loop for longer than it calculates, and no time is left. @type {Holds} */
function isLoopBlocked({ loopWaits, workers, isSaturated }) {
  if (!loopWaits || !workers || isSaturated === false) return false;
  const calculates = workers.cores / workers.processes;
  const waits = loopWaits.share.value;
  return waits >= calculates && waits + calculates >= THRESHOLDS.fullLoop;
}

/**
 * Most threads wait for it, and its holders do not calculate.
 * @param {BottleneckFacts} facts @param {'pool' | 'lock'} id
 * @param {RequestState} [inner] what its holders wait for
 */
function isQueuedFor(facts, id, inner) {
  const { isSaturated, waits, workers } = facts;
  if (!isSaturated || !waits || !workers || areHoldersStarved(facts, id)) return false;
  // Share of the requests that have a thread: the others wait because of these.
  const inside = 1 - shareOf(waits, 'thread-pool');
  const share = (shareOf(waits, id) + (inner ? shareOf(waits, inner) : 0)) / inside;
  return (
    share >= THRESHOLDS.mostOfTime &&
    (shareOf(waits, 'cpu') / inside <= (1 - share) / 2 || isAlone(facts)) &&
    (id === 'pool' || isOneInside(facts))
  );
}

/**
 * On a saturated machine the holder waits for a core, so the queue behind it is one for the CPU. True if it is unknown
 * what the holder does, because then any lock gets a queue: also that of a logger.
 * @param {BottleneckFacts} facts @param {'pool' | 'lock'} id
 */
function areHoldersStarved({ isMachineFull, waits, workers }, id) {
  const { of, doing } = waits?.holders ?? {};
  const isKnown = of === id && doing !== undefined;
  return (
    isMachineFull &&
    (workers?.wanting?.queuedShare ?? 0) > THRESHOLDS.hardlyAnyTime &&
    (!isKnown || doing.id === 'cpu')
  );
}

/** Hardly more than one request per worker runs or is runnable. @type {Holds} */
function isAlone({ waits, workers }) {
  const wanting = countRequests(waits, 'cpu') + countRequests(waits, 'gil');
  return workers !== null && wanting <= workers.processes * THRESHOLDS.oneWanting;
}

/** Holders of `outer` wait for `inner`. @param {BottleneckFacts} facts @param {RequestState} inner @param {'pool' | 'lock'} outer */
function isBehind(facts, inner, outer) {
  const { of, doing } = facts.waits?.holders ?? {};
  const isInner = doing?.id === inner && doing.share >= THRESHOLDS.mostOfTime;
  return of === outer && isInner && isQueuedFor(facts, outer, inner);
}

/** @param {BottleneckFacts['waits']} waits @param {RequestState[]} kinds */
function isMostly(waits, kinds) {
  return sum(kinds.map(kind => shareOf(waits, kind))) >= THRESHOLDS.mostOfTime;
}

/**
 * Requests wait as for a lock or a queue, and none holds it: they wait for another thread (`Future.result`).
 * @type {Holds}
 */
function waitForOtherThread({ isSaturated, waits, workers }) {
  const inside = waits?.holders?.of === 'lock' ? waits.holders.threads : countOthers(waits);
  return (
    isSaturated === true &&
    isMostly(waits, ['lock', 'queue']) &&
    inside <= (workers?.processes ?? 1) * THRESHOLDS.hardlyAnyTime
  );
}

/**
 * One request holds the lock, which all workers may share. Where holders are unknown, a request that does not wait may
 * be the holder, unless another thread works.
 * @type {Holds}
 */
function isOneInside({ waits, workers }) {
  const isHolder = waits?.holders?.of === 'lock';
  const inside = isHolder ? (waits?.holders?.threads ?? 0) : countOthers(waits);
  const isOther = !isHolder && (waits?.background?.threads ?? 0) > THRESHOLDS.hardlyAnyTime;
  return inside >= THRESHOLDS.oneInside * (isOther ? (workers?.processes ?? 1) : 1);
}

/** Requests that do not wait for a lock or a queue. @param {BottleneckFacts['waits']} waits */
function countOthers(waits) {
  return (waits?.busyThreads ?? 0) * (1 - shareOf(waits, 'lock') - shareOf(waits, 'queue'));
}

/** @type {Holds} */
function areSlotsTaken(facts) {
  const { pressure, waits } = facts;
  if (waits?.slots == null || shareOf(waits, 'cpu') >= THRESHOLDS.mostOfTime) return false;
  // Another thread would have no request to serve.
  if (pressure?.id === 'waiting' && pressure.facts.users <= waits.slots) return false;
  if (waits.busySlots >= waits.slots * THRESHOLDS.fullSlots) return true;
  return areSlotsOfOneFull(facts) && !areSlotsUneven(facts);
}

/** @type {Holds} */
function areSlotsOfOneFull({ waits, workers }) {
  const threads = workers?.threads ?? null;
  if (waits?.slots == null || threads === null) return false;
  return waits.busySlotsOfFullest >= threads * THRESHOLDS.fullSlots;
}

/** As many requests wait outside as are inside, so idle threads could double the throughput. @type {Holds} */
function isWorthSpreading({ inFlight }) {
  return inFlight == null || inFlight.client >= THRESHOLDS.manyOutside * inFlight.inside;
}

/** @type {Holds} */
function areSlotsUneven({ waits, workers }) {
  if (!waits || !workers) return false;
  return waits.busySlots / workers.processes <= waits.busySlotsOfFullest * THRESHOLDS.unevenSlots;
}
