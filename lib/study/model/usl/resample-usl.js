/** What else the law could have been, had the noise fallen otherwise. */

import { studentTwoSidedQuantile } from '../../../compare/statistics/student.js';
import { Z95 } from '../../../wilson.js';
import { solveUsl } from './solve-usl.js';
import { throughputAt } from './usl.js';

/** @typedef {import('./usl.js').Usl} Usl */

const RESAMPLES = 400;
const PARAMETERS = 3;

/**
 * Bootstrap of residuals (B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), 9.4): the
 * law's own throughput with residuals drawn from those of all points, fitted again. Residuals are
 * smaller than the noise by √((n−3)/n), and few points are paid for with Student's t.
 * @param {{n: number, x: number}[]} points at least four
 * @param {import('./solve-usl.js').UslSolution} solution
 * @param {() => number} random
 * @returns {Usl[]}
 */
export function resampleUsl(points, { usl, residuals }, random) {
  const count = points.length;
  const dof = count - PARAMETERS;
  const widening = Math.sqrt(count / dof) * (studentTwoSidedQuantile(0.05, dof) / Z95);
  const mean = residuals.reduce((sum, value) => sum + value, 0) / count;
  const noise = residuals.map(value => (value - mean) * widening);
  return Array.from({ length: RESAMPLES }, () => {
    const drawn = points.map(({ n }) => ({
      n,
      x: throughputAt(usl, n) * Math.exp(noise[Math.floor(random() * count)] ?? 0),
    }));
    return solveUsl(drawn)?.usl ?? usl;
  });
}

/**
 * The middle 95 % of resampled values, widened to hold the estimate itself.
 * @param {number} value
 * @param {number[]} resampled may hold infinite ones
 * @returns {import('../../../analysis/report.d.ts').Estimate} an end is null where it is not bounded
 */
export function middleOf(value, resampled) {
  const sorted = resampled.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    sorted[Math.round(share * (sorted.length - 1))] ?? value;
  const [low, high] = [Math.min(value, at(0.025)), Math.max(value, at(0.975))];
  return {
    value,
    low: Number.isFinite(low) ? low : null,
    high: Number.isFinite(high) ? high : null,
  };
}
