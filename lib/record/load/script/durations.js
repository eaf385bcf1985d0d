/** Reads durations and numbers in the notation of scripts. */

const UNIT_SEC = /** @type {Record<string, number>} */ ({
  ms: 0.001,
  msec: 0.001,
  millisecond: 0.001,
  s: 1,
  sec: 1,
  second: 1,
  m: 60,
  min: 60,
  minute: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  d: 86_400,
  day: 86_400,
});

/** @param {unknown} value @returns {number | null} null for a negative number, and for anything else */
export function parseNumber(value) {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/** `45`, `"45"`, `2m`, `200ms`, `1.5 hours`. @param {unknown} value @returns {number | null} */
export function parseSeconds(value) {
  const plain = parseNumber(value);
  if (plain !== null || typeof value !== 'string') return plain;
  const match = /^(\d*\.?\d+)\s*([a-z]+)$/i.exec(value.trim());
  const name = match?.[2]?.toLowerCase() ?? '';
  const unit = UNIT_SEC[name] ?? UNIT_SEC[name.replace(/s$/, '')];
  return match && unit ? Number(match[1]) * unit : null;
}
