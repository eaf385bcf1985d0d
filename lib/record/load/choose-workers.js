/** How many worker threads Artillery gets. */
import os from 'node:os';

/**
 * `maxVusers` is divided over the workers, and each skips the arrivals above its own part: a worker
 * with a part of 0 skips every one (Artillery 2.0.34). With this many users for each, an uneven
 * moment of one worker is not an arrival lost.
 */
const MIN_USERS_PER_WORKER = 10;

/**
 * @param {Record<string, any>[]} phases with numbers
 * @param {number} [cpus] that this process may use
 * @returns {number}
 */
export function chooseWorkers(phases, cpus = os.availableParallelism()) {
  // Artillery's own choice leaves one processor to its main thread.
  const most = Math.max(1, cpus - 1);
  const limits = phases
    .filter(({ arrivalCount }) => arrivalCount === undefined)
    .flatMap(({ maxVusers }) => (typeof maxVusers === 'number' && maxVusers > 0 ? maxVusers : []));
  if (limits.length === 0) return most;
  return Math.min(most, Math.max(1, Math.floor(Math.min(...limits) / MIN_USERS_PER_WORKER)));
}
