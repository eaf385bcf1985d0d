/** A worker process for each core of the machine, where the CPU of the workers is the bottleneck. */

import { ANY } from './solve-model.js';

/** @import { BottleneckFacts } from '../../run/facts/bottleneck.d.ts' */
/** @import { End } from './build-model.js' */
/** @import { Model } from './solve-model.js' */

/** Standard deviations: about one time in twenty, more workers get no connection. */
const UNLUCKY = 2;

/**
 * @param {Model} model of now
 * @param {BottleneckFacts} facts
 * @param {End} end
 * @returns {Model | null} with a worker process for each core that the target may use; null: no core has none
 */
export function addWorkers(model, facts, end) {
  const [now, quota] = [facts.workers?.processes ?? 1, facts.quota?.quotaCores ?? ANY];
  const all = Math.min(model.cpus, quota);
  if (all === ANY || all <= Math.round(now)) return null;
  const workers = facts.keepsConnections ? countReached(all, model.users, end) : all;
  const cpus = Math.min(quota, measureFree(model.cpus, all, facts, end));
  return { ...model, slots: model.slots && (model.slots * workers) / now, workers, cpus };
}

/**
 * Users whose connections stay with a worker leave some workers without any, by chance: the number of those is nearly
 * a Poisson variable.
 * @param {number} workers @param {number} users @param {End} end
 */
function countReached(workers, users, end) {
  const idle = workers * (1 - 1 / workers) ** users;
  const more = { low: UNLUCKY * Math.sqrt(idle), value: 0, high: -idle }[end];
  return Math.max(1, Math.min(users, workers - idle - more));
}

/**
 * Cores for requests. At the low end, other programs keep the cores that they use, and the profiler takes as much of each
 * worker. On a saturated machine the kernel shares the cores among all threads that want one: how long the workers wait
 * for theirs shows how many the others are. At the high end all of these end.
 * @param {number} cpus @param {number} all workers @param {BottleneckFacts} facts @param {End} end
 */
function measureFree(cpus, all, { workers, restCores, isMachineFull, ...facts }, end) {
  if (end === 'high' || !workers) return cpus;
  const { cores, processes, wanting } = workers;
  const [rest, profiler] = [restCores ?? 0, facts.profilerCores ?? 0];
  const left = cpus - (facts.stealCores ?? 0);
  if (end === 'low') return Math.max(cores, left - rest - (profiler * all) / processes);
  const wanted = Math.max(cores, (wanting?.leastWantedShare ?? 0) * processes);
  const threads = isMachineFull ? (cpus * wanted) / cores : 0;
  const others = Math.max(rest, threads - wanted - profiler - (facts.generatorCores ?? 0));
  return Math.max(left - others, (left * all) / (all + others));
}
