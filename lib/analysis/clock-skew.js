/**
 * The target's clock minus ours, from the Date headers of its answers. Such a header has whole seconds:
 * it was true at some moment between the request's last byte and the answer's first, and up to a second
 * is cut off. So each answer gives an interval, wider than a second, and what all of them have in common
 * is as narrow as the quickest of them was (the idea of D. Mills' intersection for NTP, RFC 5905 11.2.1).
 */

/**
 * @typedef {object} ClockSkew
 * @property {number} lowMs
 * @property {number} highMs
 * @property {number} answers
 * @property {boolean} holds false: the intervals have nothing in common
 */

/**
 * @param {Record<string, any>[]} metrics records of `load/metrics.ndjson`
 * @returns {ClockSkew | null} null where no answer told its time
 */
export function measureClockSkew(metrics) {
  const records = metrics.filter(({ kind }) => kind === 'clock');
  if (records.length === 0) return null;
  const lowMs = Math.max(...records.map(record => record.lowMs));
  const highMs = Math.min(...records.map(record => record.highMs));
  const answers = records.reduce((sum, record) => sum + record.answers, 0);
  return { lowMs, highMs, answers, holds: lowMs <= highMs };
}
