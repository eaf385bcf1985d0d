/** What the rules of the limit ask of the facts: what is full, and what has room. Thresholds have their reasons. */
import { MACHINE_FULL } from '../generator-limit.js';

/** @import { ComponentFact, StudyLimitFacts } from './limit-facts.d.ts' */

/** A component with a known number of cores is full; queueing grows with 1 ÷ (1 − utilisation). */
const FULL = 0.9;
/** Where throughput still rose, only what has next to nothing left is called full. */
const FULL_WHILE_RISING = 0.95;
/** Workers that use more than this of a core each are CPU-bound (design.md, what-if). */
const CPU_BOUND_CORES = 0.8;
/** One worker is full and the others have half of its work at most. */
const FULL_WORKER = 0.85;
/** A process with one thread is full from here on; with more, only where it uses a core and nothing else. */
const ONE_THREAD = [0.9, 1.05];
const ONE_OF_MANY = [0.95, 1.03];

/** @param {StudyLimitFacts} facts */
export function isFull({ host }) {
  return host !== null && host.cores >= host.cpus * MACHINE_FULL;
}

/**
 * The load wants more than it gets; or, with too few steps to see that, a process of the target is full.
 * @param {StudyLimitFacts} facts
 */
export function isWanting({ isPressed, components }) {
  return isPressed ?? components.some(({ busiestCores }) => busiestCores >= FULL_WORKER);
}

/** Of the cores in use, more were used by nobody in the study. @param {StudyLimitFacts} facts */
export function isFullOfOthers({ components, otherCores, host }) {
  return components.length > 0 && host !== null && (otherCores ?? 0) > host.cores / 2;
}

/** On a full machine nothing is won by spreading work. @param {StudyLimitFacts} facts */
export function hasRoom(facts) {
  return !isFull(facts);
}

/** @param {StudyLimitFacts} facts */
export function idleCores({ host }) {
  return host ? Math.max(0, host.cpus - host.cores) : 0;
}

/** @param {StudyLimitFacts} facts @returns {ComponentFact | null} */
export function findFullComponent({ components, isPressed, host }) {
  const full = isPressed === false ? FULL_WHILE_RISING : FULL;
  const capped = components.filter(({ mostCores }) => mostCores !== null && mostCores > 0);
  const fullest = capped
    .filter(({ cores, mostCores }) => cores >= full * (mostCores ?? 0))
    .sort((a, b) => b.cores / (b.mostCores ?? 1) - a.cores / (a.mostCores ?? 1))[0];
  if (fullest) return fullest;
  if (isPressed === false) return null;
  return components.find(component => isOneCoreEach(component, host)) ?? null;
}

/**
 * A core for each process and no more: one thread of it does the work. Where there are as many of them
 * as cores, it is the machine that is full.
 * @param {ComponentFact} component @param {StudyLimitFacts['host']} host
 */
function isOneCoreEach({ name, mostCores, cores, processes, threads }, host) {
  if (name === 'workers' || mostCores !== null || (host && processes >= host.cpus)) return false;
  const [low = 0, high = 0] = threads < 1.5 ? ONE_THREAD : ONE_OF_MANY;
  const each = cores / processes;
  return each >= low && each <= high;
}

/** @param {StudyLimitFacts} facts */
export function isWorkersFull({ workers, isPressed }) {
  if (!workers) return false;
  const each = workers.cores / workers.processes;
  return each > (isPressed === false ? FULL_WHILE_RISING : CPU_BOUND_CORES);
}

/** @param {StudyLimitFacts} facts */
export function isOneWorkerFull({ workers }) {
  if (!workers || workers.processes < 2) return false;
  const others = (workers.cores - workers.busiestCores) / (workers.processes - 1);
  return workers.busiestCores >= FULL_WORKER && others <= workers.busiestCores / 2;
}
