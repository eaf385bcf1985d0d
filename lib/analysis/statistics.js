/** Shares with intervals that can be believed. */
import { createRandom } from '../random.js';
import { wilsonInterval, Z95 } from '../wilson.js';

const RESAMPLES = 400;
// one-sided 97.5 % quantiles of Student's t for 1…30 degrees of freedom (any table of t)
const T975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

/**
 * Estimates shares of samples that come in blocks (a stretch of time × a worker), which hang together:
 * the interval is Wilson's at n ÷ design effect. The design effect compares the variance of a block
 * bootstrap (B. Efron, "Bootstrap methods", Annals of Statistics 7, 1979) with that of independent
 * samples (L. Kish, "Survey Sampling", 1965); few blocks are paid for with B/(B−1) and Student's t.
 * With one block nothing can be said about how samples hang together, and the interval is the plain one.
 * @param {ArrayLike<number>} blockTotals samples of each block
 * @param {{seed?: number}} [options]
 * @returns {(blockCounts: ArrayLike<number>) => {value: number, low: number, high: number, designEffect: number}}
 *   takes the samples of each block that count
 */
export function createShareEstimator(blockTotals, { seed = 1 } = {}) {
  const blocks = blockTotals.length;
  const total = sum(blockTotals);
  const picks = blocks > 1 ? pickBlocks(blocks, createRandom(seed)) : null;
  const t = T975[blocks - 2] ?? Z95;
  const widening = (blocks / (blocks - 1)) * (t / Z95) ** 2;
  return counts => {
    const count = sum(counts);
    const value = total > 0 ? count / total : 0;
    const variance = (value * (1 - value)) / total;
    let designEffect = 1;
    if (picks && variance > 0)
      designEffect = Math.max(
        1,
        (bootstrapVariance(counts, blockTotals, picks, value) * widening) / variance,
      );
    const effective = total / designEffect;
    return { value, ...wilsonInterval(value * effective, effective), designEffect };
  };
}

/** Which blocks each resample takes. @param {number} blocks @param {() => number} random */
function pickBlocks(blocks, random) {
  return Uint32Array.from({ length: RESAMPLES * blocks }, () => Math.floor(random() * blocks));
}

/** @param {ArrayLike<number>} counts @param {ArrayLike<number>} totals @param {Uint32Array} picks @param {number} share */
function bootstrapVariance(counts, totals, picks, share) {
  const blocks = totals.length;
  let squares = 0;
  let resamples = 0;
  for (let at = 0; at < picks.length; at += blocks) {
    let [count, total] = [0, 0];
    for (let index = at; index < at + blocks; index++) {
      const block = picks[index] ?? 0;
      count += counts[block] ?? 0;
      total += totals[block] ?? 0;
    }
    if (total === 0) continue;
    squares += (count / total - share) ** 2;
    resamples++;
  }
  return resamples > 0 ? squares / resamples : 0;
}

/** @param {ArrayLike<number>} values */
function sum(values) {
  let total = 0;
  for (let index = 0; index < values.length; index++) total += values[index] ?? 0;
  return total;
}
