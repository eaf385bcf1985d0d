/** A fixed number served at a time, while CPU is idle: threads, connections. */
import { formatCores, formatCount, formatPercent } from '../../../format.js';
import { isMachineFull } from '../generator-limit.js';
import { capitalize } from '../words.js';

/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/** With less of the machine in use, CPU is idle. */
const IDLE_MACHINE = 0.75;
/** And with less of a core in each process. */
const IDLE_PROCESS = 0.6;
/** N* = X_max·R_min counts the way there and back as served, so it lies above the true number. */
const NEAR_SERVED = [0.8, 1.35];
/** What is under way is counted, and not computed from two ends of a curve. */
const NEAR_STUCK = [0.9, 1.1];
/** Share of requests whose connection failed. */
const REFUSED = 0.01;

/** @typedef {{id: 'slots' | 'connections', text: string}} Served */

/**
 * @param {StudyLimitFacts} facts
 * @returns {Served | null} null where nothing says which number it is
 */
export function findServedAtATime(facts) {
  const stuck = findStuck(facts);
  if (stuck || facts.isPressed !== true || !isIdle(facts)) return stuck;
  return findRefused(facts) ?? findSlots(facts);
}

/** More users than are let in. @param {StudyLimitFacts} facts @returns {Served | null} */
function findStuck({ stuckInFlight, named, host, mostStep }) {
  if (stuckInFlight === null) return null;
  const match = named.find(({ value }) => isNear(stuckInFlight, value, NEAR_STUCK));
  // on a full machine users may wait for the generator
  if (!match && (!host || isMachineFull(host))) return null;
  return {
    id: 'connections',
    text: `only ${stuckInFlight.toFixed(1)} requests are under way however many users there are, up to ${formatCount(mostStep)}: the others are not let in${match ? ` (${match.name} is ${match.value})` : ''}`,
  };
}

/** @param {StudyLimitFacts} facts @returns {Served | null} */
function findRefused({ connectionErrors }) {
  if (!connectionErrors || connectionErrors.share < REFUSED) return null;
  const { share, name } = connectionErrors;
  return {
    id: 'connections',
    text: `${formatPercent(share)} of the requests found no connection (${name})`,
  };
}

/** @param {StudyLimitFacts} facts @returns {Served | null} */
function findSlots({ served, plateau, named, instances, workers }) {
  if (served === null || plateau.length < 2) return null;
  const only = `about ${served.toFixed(1)} are served at a time, and more only wait`;
  for (const { name, value } of named) {
    const id = /slot|thread/i.test(name) ? 'slots' : 'connections';
    if (isNear(served, value, NEAR_SERVED)) return { id, text: `${only}: ${name} is ${value}` };
    if (instances > 1 && isNear(served, value * instances, NEAR_SERVED))
      return { id, text: `${only}: ${name} is ${value} in each of ${instances}` };
  }
  if (!workers) return null;
  // a thread pool's process has a main thread that serves nobody
  const threads = Math.max(1, Math.round(workers.threads) - (workers.threads > 1.5 ? 1 : 0));
  const slots = Math.round(workers.processes * threads);
  return isNear(served, slots, NEAR_SERVED)
    ? { id: 'slots', text: `${only}: the workers have ${slots} (workers × threads)` }
    : null;
}

/** @param {StudyLimitFacts} facts */
function isIdle({ host, components }) {
  return (
    host !== null &&
    host.cores <= host.cpus * IDLE_MACHINE &&
    components.every(({ busiestCores }) => busiestCores <= IDLE_PROCESS)
  );
}

/** @param {StudyLimitFacts} facts */
export function tellServed(facts) {
  const { host } = facts;
  const idle =
    host && !isMachineFull(host)
      ? `, while ${formatCores(host.cpus - host.cores)} of ${host.cpus} cores are idle`
      : '';
  return capitalize(`${findServedAtATime(facts)?.text}${idle}.`);
}

/** @param {number} served @param {number} value @param {number[]} range */
function isNear(served, value, [low = 1, high = 1]) {
  return served >= value * low && served <= value * high;
}
