/**
 * How sure one run is of its own figures: a block bootstrap over its time. Neighbouring seconds hang
 * together, so stretches of them are drawn, and only within their phase: a ramp is no chance.
 * H. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of
 * Statistics 17 (1989); blocks of ∛n windows: P. Hall, J. Horowitz, B. Jing, Biometrika 82 (1995).
 * It says nothing of what another run would give.
 */
import { createRandom } from '../random.js';
import { keyOfFigure } from './measures.js';
import { readBlocks } from './run-blocks.js';
import { studentTwoSidedQuantile } from './statistics/student.js';

/** @import { Report } from '../analysis/report.d.ts' */
/** @import { WithinRun } from './compare-values.js' */

const RESAMPLES = 200;
/** With fewer blocks a bootstrap says next to nothing. */
const LEAST_BLOCKS = 4;
/** Standard errors in the half of a 95 % interval. */
const Z95 = 1.959964;

/**
 * @param {Report} report
 * @param {number} alpha
 * @returns {Promise<Map<string, WithinRun>>} by `keyOfFigure`; figures without a known error are absent
 */
export async function estimateWithinRun(report, alpha) {
  /** @type {Map<string, WithinRun>} */
  const errors = new Map();
  for (const { id, share, cpuMsPerRequest } of report.profile?.categories ?? []) {
    const at = /** @type {const} */ ({ scope: 'category', name: id });
    addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuShare' }), share);
    addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuMsPerRequest' }), cpuMsPerRequest);
  }
  for (const { loadEndpoint, cpuMsPerRequest } of report.costs?.endpoints ?? []) {
    if (loadEndpoint === null) continue;
    const at = /** @type {const} */ ({ scope: 'endpoint', name: loadEndpoint });
    addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuMsPerRequest' }), cpuMsPerRequest);
  }
  const blocks = await readBlocks(report);
  if (!blocks || blocks.strata.length < LEAST_BLOCKS) return errors;
  const draws = drawBlocks(blocks.strata);
  const dof = Math.max(1, blocks.strata.length - new Set(blocks.strata).size);
  const t = studentTwoSidedQuantile(alpha, dof) * Math.sqrt((dof + 1) / dof);
  for (const { key, statistic } of blocks.statistics) {
    const values = draws.map(statistic).filter(value => Number.isFinite(value));
    if (values.length < RESAMPLES / 2) continue;
    const logs = values.every(value => value > 0) ? values.map(Math.log) : null;
    errors.set(key, { error: spreadOf(values), logError: logs && spreadOf(logs), t });
  }
  return errors;
}

/**
 * @param {Map<string, WithinRun>} errors @param {string} key
 * @param {import('../analysis/report.d.ts').Estimate | null} estimate
 */
function addEstimate(errors, key, estimate) {
  if (!estimate || estimate.low === null || estimate.high === null) return;
  const { low, high } = estimate;
  errors.set(key, {
    error: (high - low) / (2 * Z95),
    logError: low > 0 ? Math.log(high / low) / (2 * Z95) : null,
    t: Z95,
  });
}

/**
 * How often each block is in each resample; a block is only replaced by one of its own stratum.
 * @param {number[]} strata per block
 * @returns {Float64Array[]}
 */
function drawBlocks(strata) {
  const random = createRandom(1);
  const members = Map.groupBy(strata.keys(), block => strata[block] ?? 0);
  return Array.from({ length: RESAMPLES }, () => {
    const times = new Float64Array(strata.length);
    for (const blocks of members.values()) {
      for (let draw = 0; draw < blocks.length; draw++) {
        const block = blocks[Math.floor(random() * blocks.length)] ?? 0;
        times[block] = (times[block] ?? 0) + 1;
      }
    }
    return times;
  });
}

/** Standard deviation. @param {number[]} values */
function spreadOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
