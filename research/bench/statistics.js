/** What several rounds of a benchmark come down to. */

import { median } from '../../lib/base/math/summary.js';

/** @typedef {{median: number, min: number, max: number, count: number}} Spread */

/** @param {readonly number[]} values what is no number is left out @returns {Spread | null} */
export function summarize(values) {
  const numbers = values.filter(Number.isFinite);
  if (numbers.length === 0) return null;
  return {
    median: median(numbers),
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    count: numbers.length,
  };
}

/**
 * Rotates a list, so that over the rounds each tool has been first.
 * @template T @param {readonly T[]} list @param {number} by
 */
export function rotate(list, by) {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
