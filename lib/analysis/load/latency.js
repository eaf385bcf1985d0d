/** Latency figures from sketches. */

/**
 * @param {import('../../math/sketch.js').Sketch} sketch of milliseconds
 * @returns {import('../../facts/estimate.d.ts').LatencySummary | null} null where nothing was measured; every
 *   percentile is within 1 % of the true one, minimum, maximum and mean are exact
 */
export function summarizeLatency(sketch) {
  if (sketch.count === 0) return null;
  const at = (/** @type {number} */ q) => sketch.quantile(q) ?? 0;
  return {
    count: sketch.count,
    minMs: sketch.min,
    meanMs: sketch.sum / sketch.count,
    p50Ms: at(0.5),
    p75Ms: at(0.75),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: sketch.max,
  };
}
