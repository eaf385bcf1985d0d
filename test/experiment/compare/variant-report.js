import { createRandom } from '../../../lib/base/math/random.js';
import { fullReport } from '../../fixtures/reports/reports.js';

/** @import { Estimate, LatencySummary } from '../../../lib/base/math/estimate.d.ts' */
/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

/**
 * The report of another run: all figures moved by what the run has of its own.
 * @param {number} n tells the run from others; its start and its noise follow from it
 * @param {{latency?: number, cpu?: number, auth?: number, throughput?: number, noise?: number}} [factors]
 * @returns {Report}
 */
export function variantReport(
  n,
  { latency = 1, cpu = 1, auth = 1, throughput = 1, noise = 0.01 } = {},
) {
  const report = fullReport();
  const random = createRandom(n);
  const jitter = () => Math.exp(noise * (random() + random() + random() - 1.5));
  report.run.id = `run-${n}`;
  report.run.startedAtMs = (report.run.startedAtMs ?? 0) + n * 100_000;
  report.reliability = { level: 'valid', reasons: [] };
  const { load, profile } = report;
  if (load) {
    load.http.throughputPerSec *= throughput * jitter();
    scaleLatency(load.http.totalTime, latency * jitter());
    scaleLatency(load.http.timeToFirstByte, latency * jitter());
    for (const { totalTime, timeToFirstByte } of load.endpoints) {
      scaleLatency(totalTime, latency * jitter());
      scaleLatency(timeToFirstByte, latency * jitter());
    }
  }
  scale(report.cpu?.perRequest ?? null, cpu * jitter());
  for (const { id, cpuMsPerRequest } of profile?.categories ?? [])
    scale(cpuMsPerRequest, cpu * (id === 'auth' ? auth : 1) * jitter());
  for (const { cpuMsPerRequest } of report.costs?.endpoints ?? [])
    scale(cpuMsPerRequest, cpu * jitter());
  return report;
}

/** @param {Estimate | null} estimate @param {number} factor */
function scale(estimate, factor) {
  if (!estimate) return;
  estimate.value *= factor;
  if (estimate.low !== null) estimate.low *= factor;
  if (estimate.high !== null) estimate.high *= factor;
}

/** @param {LatencySummary | null} latency @param {number} factor */
function scaleLatency(latency, factor) {
  if (!latency) return;
  for (const field of /** @type {const} */ ([
    'minMs',
    'meanMs',
    'p50Ms',
    'p75Ms',
    'p90Ms',
    'p95Ms',
    'p99Ms',
    'maxMs',
  ]))
    latency[field] *= factor;
}

/**
 * Runs of both sides, alternated.
 * @param {number} runs a side
 * @param {Parameters<typeof variantReport>[1]} [after]
 */
export function alternate(runs, after = {}) {
  return {
    before: Array.from({ length: runs }, (_, index) => variantReport(2 * index)),
    after: Array.from({ length: runs }, (_, index) => variantReport(2 * index + 1, after)),
  };
}
