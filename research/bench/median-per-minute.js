import { median } from '../../lib/base/math/summary.js';

/**
 * @param {readonly {atMs: number, usage: {memoryBytes: number}}[]} samples in order
 * @returns {number[]} bytes, of each full minute since the first sample; of all samples when there
 *   is no full one
 */
export function medianPerMinute(samples) {
  const startMs = samples[0]?.atMs ?? 0;
  const lengthMs = (samples.at(-1)?.atMs ?? 0) - startMs;
  const minutes = Math.floor((lengthMs + 1000) / 60_000);
  const toBytes = (/** @type {typeof samples} */ some) =>
    median(some.map(s => s.usage.memoryBytes));
  if (minutes === 0) return [toBytes(samples)];
  return Array.from({ length: minutes }, (_, index) =>
    toBytes(samples.filter(({ atMs }) => Math.floor((atMs - startMs) / 60_000) === index)),
  );
}
