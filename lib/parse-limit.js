/** Limits with units: `400ms`, `1%`, `100/s`, `500MB`. */

/** @import { ThresholdUnit } from './thresholds/threshold.d.ts' */

/** Per kind of value, what its units are worth. @type {Record<ThresholdUnit, Record<string, number>>} */
const FACTORS = {
  ms: { ms: 1, s: 1000, '': 1 },
  perSec: { '/s': 1, '/min': 1 / 60, '': 1 },
  share: { '%': 0.01 },
  count: { '': 1 },
  bytes: { kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, B: 1 },
};

/** What to write, by kind of value. @type {Record<ThresholdUnit, string>} */
export const LIMIT_EXAMPLES = {
  ms: 'a time such as 400ms or 1.5s',
  perSec: 'a rate such as 100/s',
  share: 'a percentage such as 1%',
  count: 'a number such as 100',
  bytes: 'a size such as 500MB',
};

/**
 * @param {string} text
 * @param {ThresholdUnit} unit
 * @returns {number | null} in the unit (a fraction for shares); null when the text is no such limit
 */
export function parseLimit(text, unit) {
  const match = /^(\d+(?:\.\d+)?)\s*(\S*)$/.exec(text);
  const factor = match ? FACTORS[unit][match[2] ?? ''] : undefined;
  return match && factor !== undefined ? Number(match[1]) * factor : null;
}
