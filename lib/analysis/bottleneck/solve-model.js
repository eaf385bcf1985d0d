/**
 * Throughput of a model of requests: bounds, and mean value analysis for a closed loop (Lazowska et al., "Quantitative
 * System Performance", 1984, chapters 5, 6 and 8).
 */
import { least } from '../../base/math/summary.js';

/** @import { BottleneckId } from '../../run/facts/bottleneck.d.ts' */

/**
 * Seconds per completed request, and the resources that requests share.
 * @typedef {object} Model
 * @property {number} users `ANY` in an open loop
 * @property {number} thinkSec outside the target, without a queue
 * @property {number | null} slots most requests inside at a time; null: no limit
 * @property {number} inside mean number of requests inside
 * @property {number} waitSec inside, not on a CPU
 * @property {number} cpuSec of a worker, with its waits for a core
 * @property {number} stretch `cpuSec` ÷ the CPU time in it
 * @property {number} freeSec part of `cpuSec` that may run in parallel: C code may release the GIL
 * @property {number} workers
 * @property {number} machineSec CPU of workers, their child processes and the load generator
 * @property {number} cpus
 * @property {number} sharedPerSec most requests/s through a lock or connections
 * @property {number} reached part of the workers that gets requests
 */

export const ANY = Number.POSITIVE_INFINITY;

/**
 * Asymptotic bounds: of the users without a queue, and of each resource.
 * @param {Model} model
 * @returns {{perSec: number, id: BottleneckId}} the lowest, and its resource; `none`: the users
 */
export function bound(model) {
  const { users, thinkSec, slots, waitSec, cpuSec, freeSec, workers, machineSec, cpus } = model;
  /** @type {{id: BottleneckId, perSec: number}[]} */
  const bounds = [
    { id: 'none', perSec: users / (thinkSec + waitSec + cpuSec) },
    { id: 'slots', perSec: (slots ?? ANY) / (waitSec + cpuSec) },
    { id: 'workers', perSec: workers / (cpuSec - freeSec) },
    { id: 'machine', perSec: cpus / machineSec },
    { id: 'lock', perSec: model.sharedPerSec },
  ];
  const perSec = least(bounds.map(one => one.perSec));
  return { perSec, id: bounds.find(one => one.perSec === perSec)?.id ?? 'none' };
}

/**
 * Users outside, and requests that hold a thread, each solved exactly: the threads are one station whose rate depends on
 * how many are in use (Lazowska, chapter 8). It equals a layered queueing network (research/bottlenecks/oracle.py).
 * @param {Model} model
 * @returns {number} requests per second
 */
export function solve(model) {
  const { users, slots, thinkSec, waitSec, cpuSec, workers } = model;
  if (users === ANY) return bound(model).perSec;
  const all = Math.round(users);
  const most = Math.min(all, Math.max(1, Math.round(slots ?? all)));
  const ofCpu = (/** @type {number} */ n) => Math.min(n, workers) / cpuSec;
  const inside = Array.from({ length: most < all ? most : 0 }, (_, n) =>
    solveClosed(n + 1, waitSec, ofCpu),
  );
  const perSec =
    most < all
      ? solveClosed(all, thinkSec, n => inside[Math.min(n, most) - 1] ?? 0)
      : solveClosed(all, thinkSec + waitSec, ofCpu);
  return Math.min(perSec, bound(model).perSec);
}

/**
 * A closed network of a delay and a station: the number at the station is a birth-death process.
 * @param {number} population @param {number} delaySec
 * @param {(n: number) => number} rateOf the station with n requests, per second
 * @returns {number} per second
 */
function solveClosed(population, delaySec, rateOf) {
  if (delaySec <= 0) return rateOf(population);
  let [weight, total, flow] = [1, 1, 0];
  for (let n = 1; n <= population; n++) {
    // Only ratios of the weights count.
    if (weight > 1e200) [weight, total, flow] = [1, total / weight, flow / weight];
    const arrivals = (weight * (population - n + 1)) / delaySec;
    weight = arrivals / rateOf(n);
    total += weight;
    flow += arrivals;
  }
  return flow / total;
}
