/** How evenly something spread: over workers, backends or users. */
import { median } from '../../analysis/median.js';
import { formatCount, formatNumberOf } from '../../format.js';

/** @typedef {import('../study-report.d.ts').Fairness} Fairness */

const NOUNS = { workers: 'worker', backends: 'backend', users: 'user' };

/**
 * J = (Σx)² / (n·Σx²): 1 where all got the same, 1/n where one got everything. R. Jain, D. Chiu, W. Hawe,
 * "A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared Computer
 * Systems", DEC-TR-301 (1984).
 * @param {number[]} counts from 0
 * @returns {number | null} null where nobody got anything
 */
export function jainIndex(counts) {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return squares > 0 ? (sum * sum) / (counts.length * squares) : null;
}

/**
 * The index beside what it hides.
 * @param {object} shared
 * @param {'workers' | 'backends' | 'users'} shared.of
 * @param {number} shared.step
 * @param {number[]} shared.counts one per worker, backend or user; from 0
 * @param {string} shared.unit what was counted: `answers`, `CPU-ms`
 * @returns {Fairness | null} null for fewer than two, or where nobody got anything
 */
export function describeFairness({ of, step, counts, unit }) {
  const jain = jainIndex(counts);
  if (counts.length < 2 || jain === null) return null;
  const [min, max] = [Math.min(...counts), Math.max(...counts)];
  const range = `${formatCount(min)} to ${formatCount(max)} ${unit}`;
  const idle = counts.filter(count => count === 0).length;
  return {
    of,
    step,
    count: counts.length,
    jain,
    min,
    mean: counts.reduce((sum, count) => sum + count, 0) / counts.length,
    median: median(counts),
    max,
    text: `${formatNumberOf(counts.length, NOUNS[of])} got ${range} each (Jain ${jain.toFixed(jain > 0.995 ? 3 : 2)})${idle ? `, ${formatCount(idle)} of them nothing` : ''}`,
  };
}
