/** What an analysis of a synthetic run should find, from what went in and what happened. */
import { findLimits, sum, workOf } from './simulate.js';

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

/**
 * @param {CompleteSpec} spec
 * @param {Second[]} seconds
 * @param {{errors: number, samples: number, byBackend: Record<string, number>}} counted
 * @returns {import('./synthetic-run.d.ts').SyntheticTruth}
 */
export function tellTruth(spec, seconds, counted) {
  const limits = findLimits(spec);
  const { endpoints } = spec;
  const workersCpuMs = sum(seconds.flatMap(({ workerMs }) => workerMs));
  /** @type {Record<string, number>} */
  const workMs = {};
  const add = (/** @type {string} */ work, /** @type {number} */ ms) => {
    workMs[work] = (workMs[work] ?? 0) + ms;
  };
  for (const { cpuMs } of seconds)
    for (const perEndpoint of cpuMs)
      for (const [e, works] of perEndpoint.entries())
        for (const [k, ms] of works.entries()) add(endpoints[e]?.works[k]?.work ?? '', ms);
  for (const [work, ms] of spec.background) add(work, ms * spec.workers * seconds.length);
  const workShares = Object.fromEntries(
    Object.entries(workMs).map(([work, ms]) => [work, ms / workersCpuMs]),
  );
  const perSec = limits.ratePerSec * limits.highestFactor * limits.share;
  const cpu = (perSec * limits.cpuMs) / (1000 * spec.coresPerWorker);
  const slots = (perSec * limits.serviceMs) / (1000 * spec.threads);
  const isSaturated = limits.ratePerSec * limits.highestFactor > limits.capacityPerSec;
  return {
    startMs: spec.startMs,
    endMs: spec.startMs + seconds.length * 1000,
    cpuMsPerRequest: Object.fromEntries(endpoints.map(({ name, cpuSumMs }) => [name, cpuSumMs])),
    byCategory: Object.fromEntries(
      endpoints.map(({ name, works }) => [
        name,
        byCategory(works.map(({ work, ms }) => [work, ms])),
      ]),
    ),
    categoryShares: byCategory(Object.entries(workShares)),
    workShares,
    requests: Object.fromEntries(
      endpoints.map(({ name }, e) => [
        name,
        sum(seconds.map(second => sum(second.requests[e] ?? []) + (second.elsewhere[e] ?? 0))),
      ]),
    ),
    byWorker: spec.workerShares.map((_, worker) =>
      sum(seconds.flatMap(({ requests }) => requests.map(counts => counts[worker] ?? 0))),
    ),
    byBackend: counted.byBackend,
    errors: counted.errors,
    utilization: { cpu, slots },
    capacityPerSec: limits.capacityPerSec,
    saturatedBy: isSaturated ? (limits.byCpu <= limits.bySlots ? 'cpu' : 'slots') : null,
    workersCpuMs,
    samples: counted.samples,
  };
}

/** @param {[work: string, value: number][]} works */
function byCategory(works) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [work, value] of works) {
    const { category } = workOf(work);
    sums[category] = (sums[category] ?? 0) + value;
  }
  return sums;
}
