/**
 * Coordinated omission (Tene, "How NOT to measure latency"): a generator that sends late because it,
 * or the target, fell behind measures less than a user would have waited.
 */

/** @import { LoadReport } from '../../../facts/load-report.d.ts' */
/** @import { QualityTable } from '../../../facts/quality.d.ts' */

/** Latency from the intended start may be so much higher before it counts: as a lag (generator-signs.js). */
const TOLERANCE = 0.1;
const TOLERANCE_MS = 10;
/** Fewer responses than this have less than ten above their p99, and a hiccup at the start makes it. */
const ENOUGH_FOR_P99 = 1000;

/**
 * Total time from the intended start beside that from the sending.
 * @param {LoadReport['http']} http
 * @returns {QualityTable['coordinated-omission'] | null} null where there is no schedule, or the engine does not know it
 */
export function compareStarts({ totalTime, totalFromIntended }) {
  if (!totalTime || !totalFromIntended) return null;
  const percent = totalTime.count < ENOUGH_FOR_P99 ? 95 : 99;
  const actualMs = totalTime[`p${percent}Ms`];
  const intendedMs = totalFromIntended[`p${percent}Ms`];
  const matters = intendedMs - actualMs > Math.max(TOLERANCE_MS, actualMs * TOLERANCE);
  return { percent, intendedMs, actualMs, matters };
}
