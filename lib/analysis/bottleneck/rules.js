/** What limits the throughput: rules in order. The first that holds names the bottleneck. */

import { sum } from '../../base/math/summary.js';
import { isSlowedByFullMachine } from './choke-point.js';
import {
  hasThreadsForOneCore,
  haveOwnCores,
  isCoreLeft,
  isFullOfOthers,
  isHeldBack,
  isMachineAtEnd,
  isOneWorkerFull,
  wantAllCores,
} from './full-cpu.js';
import {
  areSlotsFull,
  areSlotsOfOneFull,
  countRequests,
  findInner,
  isHeldAllTheTime,
  isOfThreads,
  queuedShare,
  shareBlocked,
  shareOf,
} from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, BottleneckId } from '../../run/facts/bottleneck.d.ts' */
/** @import { RequestState } from '../../run/facts/profile-report.d.ts' */
/** @import { Holds } from './full-cpu.js' */

/** @type {BottleneckId[]} */
const WAITED_FOR = ['pool', 'database', 'external-call', 'child-process', 'lock'];
/** Requests in these states are not past the lock. */
const QUEUES = ['lock', 'queue', 'thread-pool'];

/** @type {{id: BottleneckId, why?: string, holds: Holds}[]} `why`: which rule, where an id has several */
export const RULES = [
  { id: 'generator', holds: facts => facts.generator !== null && !isHeldInside(facts) },
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
  { id: 'loop', holds: isLoopBlocked },
  // The holder of the lock calculates, and no other request needs a core meanwhile.
  {
    id: 'lock',
    why: 'queued',
    holds: facts => facts.areWorkersFull && isAlone(facts) && isQueuedFor(facts, 'lock'),
  },
  {
    id: 'gil',
    holds: facts => facts.areWorkersFull && hasThreadsForOneCore(facts) && isCoreLeft(facts),
  },
  {
    id: 'workers',
    holds: facts =>
      facts.areWorkersFull &&
      (!facts.isMachineFull || haveOwnCores(facts) || isFullOfOthers(facts)),
  },
  { id: 'pool', why: 'counted', holds: isPoolFull },
  // All threads are in use because their requests wait, but not for a core. More threads or cores would also wait.
  ...waitRules(['pool', 'lock'], 'queued', isQueuedFor),
  { id: 'consumer', holds: waitForOtherThread },
  { id: 'consumer', why: 'task', holds: waitForOtherTask },
  {
    id: 'unknown',
    why: 'queue',
    holds: ({ isSaturated, waits }) => isSaturated === true && isMostly(waits, ['queue']),
  },
  { id: 'machine', why: 'alone', holds: facts => isMachineAtEnd(facts) && wantAllCores(facts) },
  hideBehindOthers(THRESHOLDS.mostOfTime),
  { id: 'machine', holds: facts => isMachineAtEnd(facts) },
  { id: 'imbalance', why: 'busiest-worker', holds: isOneWorkerFull },
  { id: 'imbalance', why: 'workers', holds: facts => isUnevenAndWanted(facts, 'workers') },
  // As with a lock of the process, more threads would wait as well.
  { id: 'database', why: 'queued', holds: isLockedInDatabase },
  { id: 'external-call', why: 'turns', holds: waitForTurns },
  { id: 'slots', why: 'opening', holds: facts => areSlotsTaken(facts) && areOpening(facts) },
  { id: 'slots', why: 'taken', holds: areSlotsTaken },
  {
    id: 'imbalance',
    why: 'slots',
    holds: facts =>
      facts.isSaturated === true &&
      areSlotsOfOneFull(facts) &&
      areSlotsUneven(facts) &&
      // As many requests wait outside as are inside, so idle threads could double the throughput.
      (facts.inFlight?.client ?? Infinity) >=
        (facts.inFlight?.inside ?? 0) * THRESHOLDS.manyOutside,
  },
  // Tries, and the pauses between them.
  {
    id: 'external-call',
    why: 'refused',
    holds: ({ isSaturated, refusedShare = 0, waits }) =>
      isSaturated === true &&
      refusedShare >= THRESHOLDS.smallPart &&
      isMostly(waits, ['external-call', 'sleep']),
  },
  // Before the waits: as with threads, requests outside would not need to wait for those inside.
  { id: 'connections', holds: ({ served }) => served?.by === 'server' },
  { id: 'wait', why: 'flat', holds: facts => facts.flat != null && isPausing(facts) },
  ...waitRules(WAITED_FOR, 'waits', (facts, id) => {
    return (
      facts.isSaturated === true &&
      shareOf(facts.waits, id) * shareOfWaits(facts) >= THRESHOLDS.mostOfTime
    );
  }),
  // A profiled run of the variant knows what its requests wait for.
  ...waitRules([...WAITED_FOR, 'consumer', 'loop', 'slots', 'wait'], 'own', (facts, id) => {
    return facts.isSaturated !== false && facts.study?.own?.id === id;
  }),
  { id: 'slots', why: 'served', holds: ({ served }) => served?.id === 'slots' },
  { id: 'connections', holds: ({ served }) => served?.id === 'connections' },
  {
    id: 'wait',
    holds: facts =>
      (facts.isSaturated === true && shareOfLongest(facts) >= THRESHOLDS.mostOfTime) ||
      (facts.waits?.kinds[0]?.id === 'sleep' && isPausing(facts)),
  },
  { id: 'none', why: 'not-saturated', holds: ({ isSaturated }) => isSaturated === false },
  // Nothing else is full.
  hideBehindOthers(THRESHOLDS.smallPart),
  { id: 'machine', holds: facts => isMachineAtEnd(facts, 0) && !isFullOfOthers(facts) },
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

/** What limits may be hidden by other programs. @param {number} share of the response time @returns {(typeof RULES)[number]} */
function hideBehindOthers(share) {
  const holds = (/** @type {BottleneckFacts} */ facts) =>
    isMachineAtEnd(facts, share) && isFullOfOthers(facts);
  return { id: 'unknown', why: 'background-load', holds };
}

/**
 * @param {BottleneckId[]} ids @param {string} why
 * @param {(facts: BottleneckFacts, id: BottleneckId) => boolean} holds
 */
function waitRules(ids, why, holds) {
  return ids.map(id => ({ id, why, holds: /** @type {Holds} */ (facts => holds(facts, id)) }));
}

/**
 * Other programs kept the generator from a core, but it waited for the server for most of its time, and what requests do
 * there is known: then it is a doubt.
 * @type {Holds}
 */
function isHeldInside({ generator, inFlight, longestWait }) {
  const isInside = (inFlight?.inside ?? 0) >= (inFlight?.client ?? 0) * THRESHOLDS.mostOfTime;
  const isWait = (longestWait?.share.value ?? 0) >= THRESHOLDS.smallPart;
  return generator?.sign?.others != null && inFlight != null && isInside && isWait;
}

/**
 * Uneven work matters if the load exceeds the throughput, or, where that is unknown, if a process is full.
 * @param {BottleneckFacts} facts @param {'workers' | 'backends'} of
 */
function isUnevenAndWanted({ uneven, isSaturated, isRising, parts, areWorkersFull }, of) {
  const isOne = parts.some(({ busiestCores }) => busiestCores >= THRESHOLDS.fullWorker);
  return uneven?.of === of && (isSaturated === true || (!isRising && (isOne || areWorkersFull)));
}

/** Calls without `await` block the loop for longer than it calculates, and no time is left. @type {Holds} */
function isLoopBlocked({ loopWaits, workers, isSaturated }) {
  if (!loopWaits || !workers || isSaturated === false) return false;
  const [waits, cores] = [shareBlocked({ loopWaits, workers }), workers.cores / workers.processes];
  const wanted = cores + Math.min(queuedShare(workers), Math.max(0, 1 - waits - cores));
  return waits >= wanted && waits + wanted >= THRESHOLDS.fullLoop;
}

/**
 * Most threads wait for it, or for what those hold who wait for it, and its holders do not calculate.
 * @param {BottleneckFacts} facts @param {BottleneckId} id `pool` or `lock`
 */
function isQueuedFor(facts, id) {
  const { isSaturated, waits, workers, longestWait } = facts;
  // A future is no lock: who waits for one waits for the work of another thread.
  const isFuture = longestWait?.kind === id && longestWait.place?.as === 'future';
  if (!isSaturated || !waits || !workers || isFuture || areHoldersStarved(facts, id)) return false;
  // Share of the requests that have a thread: the others wait because of these.
  const inside = 1 - shareOf(waits, 'thread-pool');
  const inner = findInner(waits);
  if (inner && inner !== id) return false;
  const outer = inner && waits.holders?.of;
  const share =
    (shareOf(waits, id) + (outer ? shareOf(waits, outer) : 0) + shareOfHolders(waits, id)) / inside;
  return (
    (share >= THRESHOLDS.mostOfTime || isOneLockHeld(facts, id)) &&
    (shareOf(waits, 'cpu') / inside <= (1 - share) / 2 || isAlone(facts)) &&
    (id === 'pool' || isOneInside(facts))
  );
}

/**
 * One place's lock is in use nearly all the time: it limits whatever requests do without it, for how long it may be.
 * @param {BottleneckFacts} facts @param {BottleneckId} id
 */
function isOneLockHeld(facts, id) {
  const [most] = facts.waits?.kinds.find(kind => kind.id === 'lock')?.where ?? [];
  const isOne = (most?.share ?? 0) >= THRESHOLDS.nearlyAllTime;
  return id === 'lock' && isOne && isHeldAllTheTime(facts, ['lock']);
}

/**
 * Requests that hold a lock are in its way as well as those that wait, while more wait than hold it.
 * @param {NonNullable<BottleneckFacts['waits']>} waits @param {BottleneckId} id
 */
function shareOfHolders(waits, id) {
  const { of, threads = 0 } = waits.holders ?? {};
  return of === id && id === 'lock' && countRequests(waits, id) > threads
    ? threads / waits.busyThreads
    : 0;
}

/**
 * On a saturated machine the holder waits for a core, so the queue behind it is one for the CPU: unless it is known to
 * wait for something else.
 * @param {BottleneckFacts} facts @param {BottleneckId} id
 */
function areHoldersStarved({ isMachineFull, waits, cpuShare, longestWait }, id) {
  const { of, doing } = waits?.holders ?? {};
  // If all requests but one wait for the lock on a file, that one holds it, though a helper took it.
  const isOne = longestWait?.place?.as === 'file-lock' && countOthers(waits) <= 1;
  const alone = isOne && waits?.kinds.find(kind => !QUEUES.includes(kind.id));
  const does = of === id ? doing?.id : alone ? alone.id : 'cpu';
  return isMachineFull && does === 'cpu' && (cpuShare ?? 0) >= THRESHOLDS.mostOfTime;
}

/** Hardly more than one request per worker runs or is runnable. @type {Holds} */
function isAlone({ waits, workers }) {
  const wanting = countRequests(waits, 'cpu') + countRequests(waits, 'gil');
  return workers !== null && wanting <= workers.processes * THRESHOLDS.oneWanting;
}

/**
 * Most requests that have a thread wait for a lock of the database, and one has it: SQLite has one for all writes.
 * @type {Holds}
 */
function isLockedInDatabase({ isSaturated, waits, locking }) {
  const { by = 'message', share = 0 } = locking ?? {};
  if (!isSaturated || by === 'row-write' || by === 'message') return false;
  const [inside, waiting] = [1 - shareOf(waits, 'thread-pool'), shareOf(waits, 'database')];
  const others = (waits?.busyThreads ?? 0) * (inside - waiting);
  const isHeld = by === 'write-lock' || others >= THRESHOLDS.oneInside;
  return isHeld && waiting * share >= inside * THRESHOLDS.mostOfTime;
}

/** Most requests that have a thread wait for a service that works for one at a time. @type {Holds} */
function waitForTurns({ isSaturated, waits, turns }) {
  const inside = 1 - shareOf(waits, 'thread-pool');
  const waiting = shareOf(waits, 'external-call') * (turns?.share ?? 0);
  return isSaturated === true && waiting >= inside * THRESHOLDS.mostOfTime;
}

/**
 * Part of the samples of waits that were some: on a saturated machine, who has its result may wait for a core, which the
 * kernel counts.
 * @param {Pick<BottleneckFacts, 'waits' | 'isMachineFull' | 'cpuShare'>} facts
 */
function shareOfWaits({ waits, isMachineFull, cpuShare }) {
  const sampled = shareOf(waits, 'cpu') + shareOf(waits, 'gil');
  return isMachineFull ? Math.min(1, (1 - (cpuShare ?? 0)) / (1 - sampled)) : 1;
}

/** @param {BottleneckFacts} facts */
const shareOfLongest = facts => (facts.longestWait?.share.value ?? 0) * shareOfWaits(facts);

/** No resource is full, and a large part of each request is a sleep in one function of the API. @type {Holds} */
function isPausing(facts) {
  const { kind, place } = facts.longestWait ?? {};
  const isOwn = facts.isSaturated === true && kind === 'sleep' && place != null;
  return isOwn && shareOfLongest(facts) >= THRESHOLDS.smallPart;
}

/** @param {BottleneckFacts['waits']} waits @param {RequestState[]} kinds */
const isMostly = (waits, kinds) =>
  sum(kinds.map(kind => shareOf(waits, kind))) >= THRESHOLDS.mostOfTime;

/**
 * Requests wait as for a lock or a queue, and none holds it: they wait for another thread (`Future.result`).
 * @type {Holds}
 */
function waitForOtherThread({ isSaturated, waits, workers, longestWait }) {
  const isHeld = waits?.holders?.of === 'lock' && isMostly(waits, ['lock']);
  const inside = isHeld ? (waits?.holders?.threads ?? 0) : countOthers(waits);
  const few = (workers?.processes ?? 1) * THRESHOLDS.hardlyAnyTime;
  const isFuture =
    longestWait?.place?.as === 'future' && longestWait.share.value >= THRESHOLDS.nearlyAllTime;
  return isSaturated === true && isMostly(waits, ['lock', 'queue']) && (inside <= few || isFuture);
}

/**
 * Coroutines await futures, and tasks of the application that serve no request take a part of the CPU. Without it, a
 * driver in C may complete them.
 * @type {Holds}
 */
function waitForOtherTask({ isSaturated, longestWait, waits }) {
  return (
    isSaturated === true &&
    longestWait?.place?.as === 'task' &&
    longestWait.share.value >= THRESHOLDS.nearlyAllTime &&
    (waits?.taskShare ?? 0) >= THRESHOLDS.hardlyAnyTime
  );
}

/**
 * One request holds the lock, which all workers may share. Where holders are unknown, a request that does not wait may
 * be the holder, unless another thread works. A lock on a file is no other thread's work.
 * @type {Holds}
 */
function isOneInside({ waits, workers, longestWait }) {
  if (longestWait?.place?.as === 'file-lock') return true;
  const isHolder = waits?.holders?.of === 'lock';
  const inside = isHolder ? (waits?.holders?.threads ?? 0) : countOthers(waits);
  const isOther = !isHolder && (waits?.background?.threads ?? 0) > THRESHOLDS.hardlyAnyTime;
  if (isHolder && countRequests(waits, 'lock') > inside) return inside >= THRESHOLDS.smallPart;
  return inside >= THRESHOLDS.oneInside * (isOther ? (workers?.processes ?? 1) : 1);
}

/** Requests that do not wait for a lock or a queue. @param {BottleneckFacts['waits']} waits */
const countOthers = waits =>
  (waits?.busyThreads ?? 0) * (1 - shareOf(waits, 'lock') - shareOf(waits, 'queue'));

/** More processes gain nothing on a CPU that the target saturates. @type {Holds} */
function isPoolFull({ fullPool, isSaturated, isMachineFull, hasBackgroundLoad }) {
  if (!fullPool || isOfThreads(fullPool) || isSaturated !== true) return false;
  return fullPool.kind !== 'processes' || !isMachineFull || hasBackgroundLoad;
}

/** @type {Holds} */
function areSlotsTaken(facts) {
  const { pressure, waits, fullPool, isSaturated } = facts;
  if (shareOf(waits, 'cpu') >= THRESHOLDS.mostOfTime) return false;
  if (fullPool && isOfThreads(fullPool)) return isSaturated === true;
  // Threads of another pool, for greenlets. Where those of a pool are known, a free one only begins late.
  if (waits?.slots == null)
    return isSaturated === true && !waits?.poolThreads && isMostly(waits, ['thread-pool']);
  // Another thread would have no request to serve.
  if (pressure?.id === 'waiting' && pressure.facts.users <= waits.slots) return false;
  if (areSlotsFull(waits) || isMostly(waits, ['thread-pool'])) return true;
  return areSlotsOfOneFull(facts) && !areSlotsUneven(facts);
}

/** Most requests that have a thread open a connection. @type {Holds} */
const areOpening = ({ kindsInside }) =>
  kindsInside.some(
    ({ share, where: [most] }) =>
      most?.as === 'connect' && share.value * most.share >= THRESHOLDS.mostOfTime,
  );

/** @type {Holds} */
function areSlotsUneven({ waits, workers }) {
  if (!waits || !workers) return false;
  return waits.busySlots / workers.processes <= waits.busySlotsOfFullest * THRESHOLDS.unevenSlots;
}
