/** Intervals from resampling: B. Efron, "Bootstrap methods", Annals of Statistics 7 (1979). */
import { studentTwoSidedQuantile } from './distributions.js';
import { CLEAR, widenInterval, wilsonInterval, Z95 } from './intervals.js';
import { createRandom } from './random.js';
import { quantile, sum } from './summary.js';

const RESAMPLES = 400;

/**
 * Estimates shares of samples that are correlated within blocks (a block is a stretch of time × a worker). The
 * interval is Wilson's with n ÷ design effect. The design effect compares the variance of a block bootstrap with that
 * of independent samples (L. Kish, "Survey Sampling", 1965); B/(B−1) and Student's t correct for few blocks. With a
 * single block the correlation is unknown, and the interval is the uncorrected one.
 * @param {ArrayLike<number>} blockTotals samples of each block
 * @param {{seed?: number, blur?: import('./intervals.js').Blur, timed?: boolean}} [options] `blur`: what the samples
 *   cannot show; not `timed`: the first block has the samples that count; of the second, any part may count
 * @returns {(blockCounts: ArrayLike<number>) => {value: number, low: number, high: number, designEffect: number}}
 *   its argument: the number of samples per block that belong to the share
 */
export function createShareEstimator(blockTotals, { seed = 1, blur = CLEAR, timed = true } = {}) {
  const blocks = blockTotals.length;
  const total = sum(blockTotals);
  const picks = timed && blocks > 1 ? pickBlocks(blocks, createRandom(seed)) : null;
  const t = picks ? studentTwoSidedQuantile(0.05, blocks - 1) : Z95;
  const widening = (blocks / (blocks - 1)) * (t / Z95) ** 2;
  return counts => {
    const value = total > 0 ? sum(counts) / total : 0;
    const variance = (value * (1 - value)) / total;
    let designEffect = 1;
    if (picks && variance > 0)
      designEffect = Math.max(
        1,
        (bootstrapVariance(counts, blockTotals, picks, value) * widening) / variance,
      );
    const effective = total / designEffect;
    const interval = wilsonInterval(value * effective, effective);
    if (!timed && value > 0) {
      const without = (counts[0] ?? 0) / Math.max(1, blockTotals[0] ?? 0);
      interval.low *= Math.min(1, without / value);
      interval.high = Math.min(1, interval.high * Math.max(1, without / value));
    }
    return { value, ...widenInterval(interval, blur), designEffect };
  };
}

/** The blocks of each resample. @param {number} blocks @param {() => number} random */
function pickBlocks(blocks, random) {
  return Uint32Array.from({ length: RESAMPLES * blocks }, () => Math.floor(random() * blocks));
}

/**
 * @param {ArrayLike<number>} counts
 * @param {ArrayLike<number>} totals
 * @param {Uint32Array} picks
 * @param {number} share
 */
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

/**
 * The middle 95 % of the resampled values, extended to include the estimate itself (the percentile interval).
 * @param {number} value
 * @param {readonly number[]} resampled may contain infinite values
 * @returns {{value: number, low: number | null, high: number | null}} an unbounded end is null
 */
export function percentileInterval(value, resampled) {
  const low = Math.min(value, quantile(resampled, 0.025));
  const high = Math.max(value, quantile(resampled, 0.975));
  return {
    value,
    low: Number.isFinite(low) ? low : null,
    high: Number.isFinite(high) ? high : null,
  };
}
