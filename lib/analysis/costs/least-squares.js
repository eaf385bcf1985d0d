/** Non-negative least squares, and how sure its answer is. */
import { createRandom } from '../statistics.js';

const ROUNDS = 200;
const RESAMPLES = 200;

/**
 * y ≈ Σ βⱼ·xⱼ with β ≥ 0, by coordinate descent on the normal equations (D. D. Lee and H. S. Seung,
 * NIPS 2000, for the idea of staying non-negative; V. Franc, V. Hlaváč and M. Navara, "Sequential
 * coordinate-wise algorithm for the non-negative least squares problem", CAIP 2005, for this one).
 * @param {ArrayLike<number>} y per window
 * @param {ArrayLike<number>[]} columns xⱼ per window
 * @param {ArrayLike<number>} [weights] how often each window counts
 * @returns {Float64Array} β
 */
export function solveNonNegative(y, columns, weights) {
  const size = columns.length;
  const gram = new Float64Array(size * size);
  const target = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const own = columns[i] ?? [];
    target[i] = dot(own, y, weights);
    for (let j = i; j < size; j++) {
      const value = dot(own, columns[j] ?? [], weights);
      gram[i * size + j] = value;
      gram[j * size + i] = value;
    }
  }
  const beta = new Float64Array(size);
  // gradient of ½|Xβ − y|²
  const gradient = target.map(value => -value);
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (let i = 0; i < size; i++) {
      const diagonal = gram[i * size + i] ?? 0;
      if (diagonal <= 0) continue;
      const next = Math.max(0, (beta[i] ?? 0) - (gradient[i] ?? 0) / diagonal);
      const step = next - (beta[i] ?? 0);
      if (step === 0) continue;
      beta[i] = next;
      for (let j = 0; j < size; j++)
        gradient[j] = (gradient[j] ?? 0) + step * (gram[i * size + j] ?? 0);
      moved = Math.max(moved, Math.abs(step) * Math.sqrt(diagonal));
    }
    if (moved < 1e-9 * Math.sqrt(dot(y, y, weights) || 1)) break;
  }
  return beta;
}

/**
 * The answer with 95 % intervals of a bootstrap over windows (B. Efron, Annals of Statistics 7, 1979).
 * @param {ArrayLike<number>} y
 * @param {ArrayLike<number>[]} columns
 * @param {{seed?: number}} [options]
 * @returns {{value: number, low: number, high: number}[]} β
 */
export function estimateNonNegative(y, columns, { seed = 1 } = {}) {
  const windows = y.length;
  const beta = solveNonNegative(y, columns);
  const random = createRandom(seed);
  const resampled = Array.from({ length: RESAMPLES }, () => {
    const weights = new Float64Array(windows);
    for (let n = 0; n < windows; n++) {
      const at = Math.floor(random() * windows);
      weights[at] = (weights[at] ?? 0) + 1;
    }
    return solveNonNegative(y, columns, weights);
  });
  return columns.map((_, index) => {
    const values = resampled.map(own => own[index] ?? 0).sort((a, b) => a - b);
    const value = beta[index] ?? 0;
    return {
      value,
      low: Math.min(value, values[Math.floor(0.025 * RESAMPLES)] ?? value),
      high: Math.max(value, values[Math.ceil(0.975 * RESAMPLES) - 1] ?? value),
    };
  });
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {ArrayLike<number>} [weights] */
function dot(a, b, weights) {
  let sum = 0;
  for (let index = 0; index < a.length; index++)
    sum += (a[index] ?? 0) * (b[index] ?? 0) * (weights?.[index] ?? 1);
  return sum;
}
