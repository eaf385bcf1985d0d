/** A fixed number served at a time, while CPU is idle: threads, connections. */
import { formatCores, formatPercent } from '../../../format.js';

/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/** With less of the machine in use, CPU is idle. */
const IDLE_MACHINE = 0.75;
/** And with less of a core in each worker. */
const IDLE_WORKER = 0.6;
/** N* = X_max·R_min counts the way there and back as served, so it lies above the true number. */
const NEAR = [0.8, 1.35];
/** Share of requests whose connection failed. */
const REFUSED = 0.01;

/**
 * @param {StudyLimitFacts} facts
 * @returns {{id: 'slots' | 'connections', what: string} | null} null where nothing says which number it is
 */
export function findServedAtATime(facts) {
  const { isPressed, host, workers, components, served, named, connectionErrors, plateau } = facts;
  if (isPressed !== true || !host || host.cores > host.cpus * IDLE_MACHINE) return null;
  if (components.some(({ busiestCores }) => busiestCores > IDLE_WORKER)) return null;
  if (connectionErrors && connectionErrors.share >= REFUSED)
    return {
      id: 'connections',
      what: `${formatPercent(connectionErrors.share)} of the requests found no connection (${connectionErrors.name})`,
    };
  if (served === null || plateau.length < 2) return null;
  const match = named.find(({ value }) => isNear(served, value));
  if (match) {
    const id = /slot|thread/i.test(match.name) ? 'slots' : 'connections';
    return { id, what: `${match.name} is ${match.value}` };
  }
  // a thread pool's processes have a main thread that serves nobody
  const each = workers
    ? Math.max(1, Math.round(workers.threads) - (workers.threads > 1.5 ? 1 : 0))
    : 0;
  const slots = (workers?.processes ?? 0) * each;
  if (slots > 0 && isNear(served, slots))
    return { id: 'slots', what: `the workers have ${Math.round(slots)} (workers × threads)` };
  return null;
}

/** @param {StudyLimitFacts} facts */
export function tellServed(facts) {
  const found = findServedAtATime(facts);
  const { host, served } = facts;
  const idle = host
    ? ` while ${formatCores(host.cpus - host.cores)} of ${host.cpus} cores are idle`
    : '';
  const count =
    served === null ? '' : `About ${served.toFixed(1)} are served at a time, and more only wait: `;
  const text = `${count}${found?.what}${idle}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {number} served @param {number} value */
function isNear(served, value) {
  const [low = 0, high = 0] = NEAR;
  return served >= value * low && served <= value * high;
}
