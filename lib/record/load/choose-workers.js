/** How many worker threads a load gets. */
import os from 'node:os';
import { sum } from '../../math/summary.js';
import { findCpuCgroups, readQuota } from '../../process/cgroups.js';

/**
 * Artillery divides `maxVusers` over its workers, and each skips the arrivals above its own part: a
 * worker with a part of 0 skips every one (2.0.34). With this many users for each, an uneven moment
 * of one worker is not an arrival lost; and closed-loop users are not spread thinner either.
 */
const MIN_USERS_PER_WORKER = 10;
/**
 * Up to there one worker of ours keeps the schedule within 2 ms; each worker more costs 60 MB, a third
 * of a CPU-second and a second warm-up of the same code.
 */
const ARRIVALS_PER_WORKER = 2000;

/**
 * @param {Record<string, any>[]} phases with numbers
 * @param {object} [options]
 * @param {'loadflame' | 'artillery'} [options.engine]
 * @param {number} [options.cpus] that this process may use; may have a fraction
 * @returns {number}
 */
export function chooseWorkers(phases, { engine = 'loadflame', cpus = usableCpus() } = {}) {
  const whole = Math.max(1, Math.floor(cpus));
  const limits = phases
    .filter(({ arrivalCount }) => arrivalCount === undefined || engine === 'loadflame')
    .flatMap(({ maxVusers }) => (typeof maxVusers === 'number' && maxVusers > 0 ? maxVusers : []));
  const most = limits.length > 0 ? usersToWorkers(Math.min(...limits)) : Infinity;
  // Artillery's own choice leaves one processor to its main thread, which spins.
  if (engine === 'artillery') return Math.min(most, Math.max(1, whole - 1));
  return Math.min(most, whole, Math.max(1, ...phases.map(countNeeded)));
}

/** @param {Record<string, any>} phase */
function countNeeded({ users, rampTo = 0, arrivalRate = 0, arrivalCount = 0, duration = 1 }) {
  if (users !== undefined) return usersToWorkers(Math.max(users, rampTo));
  const perSec = Math.max(arrivalRate, rampTo, arrivalCount / duration);
  return Math.ceil(perSec / ARRIVALS_PER_WORKER);
}

/** @param {number} users */
function usersToWorkers(users) {
  return Math.max(1, Math.floor(users / MIN_USERS_PER_WORKER));
}

// -- How many processors this process may really use: affinity, and the CPU quota of its cgroups.

/**
 * @param {object} [options]
 * @param {string} [options.root] where `/proc` and the cgroups are
 * @param {number} [options.processors] that affinity allows
 * @param {string} [options.listed] all that it will keep to, as `taskset -c` takes them: `0,2-1023`
 * @returns {number} may have a fraction: half a processor is 0.5
 */
export function usableCpus({ root = '/', processors = os.availableParallelism(), listed } = {}) {
  const kept = listed === undefined ? processors : countListed(listed, processors);
  return Math.min(kept, readCpuQuota(root) ?? Infinity);
}

/** Those that the machine has. @param {string} listed @param {number} processors */
function countListed(listed, processors) {
  const ranges = listed.split(',').map(range => range.split('-').map(Number));
  return sum(
    ranges.map(([first = 0, last = first]) =>
      Math.max(0, Math.min(last, processors - 1) - first + 1),
    ),
  );
}

/**
 * The least of all quotas from the process's own cgroup up to the highest that it can see.
 * @param {string} [root]
 * @returns {number | null} processors; null without a quota
 */
export function readCpuQuota(root = '/') {
  const quotas = findCpuCgroups('self', root).flatMap(cgroup => readQuota(cgroup) ?? []);
  return quotas.length > 0 ? Math.min(...quotas) : null;
}
