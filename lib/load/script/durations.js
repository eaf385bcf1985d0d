/** Reads durations and numbers in the notation of scripts. */

/** @type {[names: RegExp, seconds: number][]} */
const UNITS = [
  [/^(?:ms|msecs?|milliseconds?)$/i, 0.001],
  [/^(?:s|secs?|seconds?)$/i, 1],
  [/^(?:m|mins?|minutes?)$/i, 60],
  [/^(?:h|hrs?|hours?)$/i, 3600],
  [/^(?:d|days?)$/i, 86_400],
];

/** @param {unknown} value @returns {number | null} null for a negative number, and for anything else */
export function parseNumber(value) {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/** `45`, `"45"`, `2m`, `200ms`, `1.5 hours`. @param {unknown} value @returns {number | null} */
export function parseSeconds(value) {
  const plain = parseNumber(value);
  if (plain !== null || typeof value !== 'string') return plain;
  const [, number, name = ''] = /^(\d*\.?\d+)\s*([a-z]+)$/i.exec(value.trim()) ?? [];
  const [, unitSec] = UNITS.find(([names]) => names.test(name)) ?? [];
  return unitSec ? Number(number) * unitSec : null;
}
