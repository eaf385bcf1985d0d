/** A fixed number served at a time, while CPU is idle: threads, connections. */
import { areSlotsFull, areSlotsOfOneFull } from './resources.js';
import { isMachineFull, THRESHOLDS } from './thresholds.js';

/** @import { GatheredFacts, Served, StudyFacts } from '../../run/facts/bottleneck.d.ts' */

/** No setting of the study file has this value. */
const UNNAMED = { name: null, value: null, instances: 1 };

/** Of a request with a new connection. */
const ROUND_TRIPS = 2;

/**
 * @param {GatheredFacts} facts @param {StudyFacts} study
 * @returns {Served | null} null if the number is unknown
 */
export function findServedAtATime(facts, study) {
  const stuck = findStuck(facts, study);
  if (stuck || facts.isSaturated !== true || !isIdle(facts)) return stuck;
  return findRefused(study) ?? findSlots(facts, study);
}

/**
 * Workers with idle threads, or none (gevent), start a request long after the client sent it: it waits in front of them.
 * Requests that are on the network, by the time of a connection, do not.
 * @param {GatheredFacts} facts
 * @returns {Served | null}
 */
export function findServedOfRun({ waits, loopWaits, inFlight, isSaturated, workers, ...facts }) {
  if (isSaturated !== true || !inFlight || !workers || loopWaits) return null;
  const count = Math.max(waits?.slots ? waits.busySlots : 0, inFlight.inside);
  const isFull = waits && areSlotsFull({ ...waits, busySlots: count });
  if (isFull || areSlotsOfOneFull({ waits, workers })) return null;
  // Threads that are idle at the begin of a ramp may all be in use at its end.
  if (waits?.slots && facts.pressure?.id === 'slower') return null;
  const isIdle = workers.busiestCores < THRESHOLDS.idleProcess;
  const onTheWay = (ROUND_TRIPS * (facts.connectMs ?? 0) * (facts.throughputPerSec ?? 0)) / 1000;
  if (!isIdle || inFlight.client - onTheWay < THRESHOLDS.manyOutside * count) return null;
  const [name, value] = [facts.front ?? null, waits?.slots ?? null];
  return { id: 'connections', by: 'server', count, name, value, instances: 1 };
}

/** More users than the server accepts. @param {GatheredFacts} facts @param {StudyFacts} study @returns {Served | null} */
function findStuck({ host }, { stuckInFlight, named }) {
  if (stuckInFlight === null) return null;
  const match = named.find(({ value }) => isNear(stuckInFlight, value, THRESHOLDS.nearStuck));
  // on a saturated CPU users may wait for the generator
  if (!match && (!host || isMachineFull(host))) return null;
  const { name = null, value = null } = match ?? {};
  return { id: 'connections', by: 'stuck', count: stuckInFlight, name, value, instances: 1 };
}

/** @param {StudyFacts} study @returns {Served | null} */
function findRefused({ connectionErrors }) {
  if (!connectionErrors || connectionErrors.share < THRESHOLDS.refused) return null;
  const { share, name } = connectionErrors;
  return { id: 'connections', by: 'refused', count: share, ...UNNAMED, name };
}

/** @param {GatheredFacts} facts @param {StudyFacts} study @returns {Served | null} */
function findSlots({ workers }, { kneeInFlight: count, plateauSteps, named, instances }) {
  if (count === null || plateauSteps < 2) return null;
  const isNumber = (/** @type {number} */ value) => isNear(count, value, THRESHOLDS.nearKnee);
  for (const { name, value, of: id } of named)
    for (const times of new Set([1, instances]))
      if (isNumber(value * times)) return { id, by: 'named', count, name, value, instances: times };
  if (workers?.threads == null) return null;
  // a thread pool's process has a main thread that serves no request
  const threads = Math.max(1, Math.round(workers.threads) - (workers.threads > 1.5 ? 1 : 0));
  const value = Math.round(workers.processes * threads);
  return isNumber(value) ? { id: 'slots', by: 'threads', count, ...UNNAMED, value } : null;
}

/** @param {GatheredFacts} facts */
function isIdle({ host, parts }) {
  return (
    host !== null &&
    host.cores <= host.cpus * THRESHOLDS.idleMachine &&
    parts.every(({ busiestCores }) => busiestCores <= THRESHOLDS.idleProcess)
  );
}

/** @param {number} count @param {number} value @param {readonly number[]} range */
const isNear = (count, value, [low = 1, high = 1]) => count >= value * low && count <= value * high;
