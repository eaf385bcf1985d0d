/** Turns shares into CPU-ms per request. */
import { scaleEstimate } from '../../base/math/intervals.js';

/** @typedef {import('../../base/math/estimate.d.ts').Estimate} Estimate */

/**
 * D, by the utilization law U = X·D: CPU time of the workers ÷ requests. Without the operating system's figure,
 * samples ÷ rate ÷ requests is an upper bound, because py-spy's *active* also counts threads that wait for a core.
 * @param {{active: number, rateHz: number | null, workersMs: number | null, requests: number | null, sampledShare?: number, idleMs?: number}} known
 *   `sampledShare`: of the time; sampling may have been paused on purpose; `idleMs`: of the CPU time, used even
 *   without requests
 * @returns {Pick<import('../../run/facts/profile-report.d.ts').CpuUse, 'perRequest' | 'basis' | 'samplesToCpu'> & {sampledMs: number | null}}
 *   `sampledMs`: the samples as CPU time; null without a rate
 */
export function measureCost({ active, rateHz, workersMs, requests, sampledShare = 1, idleMs = 0 }) {
  const sampledMs = rateHz ? ((active / rateHz) * 1000) / sampledShare : null;
  const samplesToCpu = sampledMs !== null && workersMs ? sampledMs / workersMs : null;
  const total = workersMs === null ? sampledMs : Math.max(0, workersMs - idleMs);
  if (!requests || total === null)
    return { perRequest: null, basis: 'none', samplesToCpu, sampledMs };
  return {
    perRequest: { value: total / requests, low: null, high: null },
    basis: workersMs === null ? 'samples-upper-bound' : 'process-cpu',
    samplesToCpu,
    sampledMs,
  };
}

/** D·p, with the interval of p. @param {Estimate | null} perRequest @param {Estimate} share @returns {Estimate | null} */
export const costOf = (perRequest, share) => perRequest && scaleEstimate(share, perRequest.value);
