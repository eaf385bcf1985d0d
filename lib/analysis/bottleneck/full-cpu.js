/** Whose CPU is full: that of the workers, of a part of the target, or of the machine. */
import { areSlotsFull, coresOfPython, countServed, shareInC, shareOf } from './resources.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { BottleneckFacts, Part } from '../../run/facts/bottleneck.d.ts' */

/** @typedef {(facts: BottleneckFacts) => boolean} Holds */
/** @typedef {Omit<BottleneckFacts, 'why' | 'areWorkersFull' | 'choke' | 'fullPart' | 'served' | 'fullPool' | 'outerPool' | 'longestWait' | 'seenShare' | 'kindsInside'>} Judged */

/** Workers use a core each, or would without other programs and the profiler. @param {Judged} facts */
export function areWorkersFull(facts) {
  const { workers, waits, isRising } = facts;
  if (!workers) return false;
  const each = coresOfPython({ ...facts, workers }) / workers.processes;
  if (each > (isRising ? THRESHOLDS.fullWhileRising : THRESHOLDS.cpuBoundCores)) return true;
  if (isHeldBack(facts)) return false;
  // A worker that serves one request at a time is without one for a moment.
  const isOne = workers.threads === 1 && waits?.slots != null && areSlotsFull(waits);
  const served = isOne ? Math.min(1, waits.busySlots / (waits.slots ?? 1)) : 1;
  if ((workers.wanting?.leastWantedShare ?? 0) >= THRESHOLDS.wantingThreads * served) return true;
  if (wantSeveral(facts)) return true;
  if (facts.isMachineFull || !waits) return false;
  const wanting = (waits.busyThreads * shareOf(facts.waits, 'cpu')) / workers.processes;
  // Not if one worker is full and another is idle.
  const least = workers.leastCores ?? each;
  return least >= THRESHOLDS.wantingCores && wanting >= THRESHOLDS.wantingThreads;
}

/**
 * Other programs have the CPU, and several threads of a worker want a core at a time: it could use at most one for them
 * (GIL).
 * @param {Judged} facts
 */
function wantSeveral({ hasBackgroundLoad, wantingThreads, cpuShare, ...facts }) {
  const { workers } = facts;
  if (!workers || !hasBackgroundLoad || !hasThreadsForOneCore(facts) || isInC(facts)) return false;
  const isCpu =
    workers.cores / workers.processes >= THRESHOLDS.wantingCores ||
    (cpuShare ?? 0) >= THRESHOLDS.mostOfTime;
  // Threads that wake up from a sleep want a core as well, and no GIL; those that wait for a lock want neither.
  const running = shareOf(facts.waits, 'cpu') + shareOf(facts.waits, 'gil');
  const isSeen = facts.waits === null || running >= THRESHOLDS.hardlyAnyTime;
  const isLocked = shareOf(facts.waits, 'lock') >= THRESHOLDS.mostOfTime;
  return isCpu && isSeen && !isLocked && (wantingThreads ?? 0) >= THRESHOLDS.severalWanting;
}

/** A worker has threads, and uses one core at most. @param {Pick<Judged, 'workers'>} facts */
export const hasThreadsForOneCore = ({ workers }) =>
  (workers?.threads ?? 1) >= 2 &&
  (workers?.cores ?? 0) / (workers?.processes ?? 1) <= (THRESHOLDS.oneOfManyThreads[1] ?? 1);

/**
 * Threads that calculate in C could use more than one core, if there were one. Those that wait for the GIL wake up for
 * moments.
 * @param {Pick<Judged, 'paths' | 'workers'>} facts
 */
const isInC = ({ paths, workers }) =>
  shareInC(paths) >= THRESHOLDS.mostOfTime ||
  (workers?.wanting?.sliceMs ?? 0) >= THRESHOLDS.longSliceMs;

/**
 * Another worker could use a core: an idle one, or one that other programs take from Python code, beside those that these
 * workers would use then.
 * @type {Holds}
 */
export function isCoreLeft(facts) {
  const { host, restCores, workers } = facts;
  const own = Math.max(0, (workers?.processes ?? 0) - (workers?.cores ?? 0));
  const taken = isFullOfOthers(facts) && !isInC(facts) ? (restCores ?? 0) - own : 0;
  return host !== null && host.cpus - host.cores + taken >= THRESHOLDS.idleCores;
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
export const isHeldBack = ({ quota }) => (quota?.share ?? 0) >= THRESHOLDS.throttledBottleneck;

/**
 * Each worker has a core nearly to itself, even on a machine that the service saturates, and there are more cores than
 * workers.
 * @type {Holds}
 */
export function haveOwnCores({ workers, host }) {
  if (!workers || !host || Math.round(workers.processes) >= host.cpus) return false;
  return workers.cores / workers.processes >= THRESHOLDS.ownCore;
}

/**
 * The CPU is saturated, and requests spend at least this share of their time on it, or waiting for it.
 * @param {BottleneckFacts} facts @param {number} [share]
 */
export function isMachineAtEnd(facts, share = THRESHOLDS.mostOfTime) {
  const { host, isMachineFull, isSaturated, isRising, cpuShare } = facts;
  if (!host || !isMachineFull || (cpuShare ?? 1) < share) return false;
  return isRising ? host.cores >= host.cpus * THRESHOLDS.fullWhileRising : isSaturated !== false;
}

/**
 * Processes outside the run use most of the CPU, or saturate it: perhaps programs that do not work for requests.
 * @type {Holds}
 */
export function isFullOfOthers(facts) {
  const { hasBackgroundLoad, restCores, host } = facts;
  const isMost = hasBackgroundLoad && (restCores ?? 0) > (host?.cores ?? 0) / 2;
  return isMost || isSaturatedByOthers(facts);
}

/**
 * The users of a closed loop would also saturate the CPU without other programs: if no request waits for a core, as many
 * run at a time as there are cores, or more (utilization law).
 * @type {Holds}
 */
export function wantAllCores({ pressure, requestCpu, inFlight, host }) {
  const { cpuMs = 0, queuedMs = null, responseMs = 0, isInside = false } = requestCpu ?? {};
  if (pressure?.id !== 'waiting' || !inFlight || !host || !isInside || queuedMs === null)
    return false;
  return (inFlight.inside * cpuMs) / Math.max(cpuMs, responseMs - queuedMs) >= host.cpus;
}

/** Without programs that do not work for requests, the CPU would be idle. @type {Holds} */
function isSaturatedByOthers({ hasBackgroundLoad, restCores, host, waits, serviceCores }) {
  if (!hasBackgroundLoad || !host || !waits || restCores === null) return false;
  const idle = host.cpus * THRESHOLDS.idleMachine;
  return host.cores - (restCores - (serviceCores == null ? countServed(waits) : 0)) <= idle;
}

/** @type {Holds} */
export function isOneWorkerFull({ workers, isRising }) {
  if (!workers || workers.processes < 1.5 || isRising) return false;
  const { busiestCores: most, cores, processes } = workers;
  const others = workers.leastCores ?? (cores - most) / (processes - 1);
  return most >= THRESHOLDS.fullWorker && others <= most * THRESHOLDS.halfOfFullest;
}
