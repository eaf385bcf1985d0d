/** Sums over the records of a load test: counters, sketches, endpoints. */
import { mergeSketches } from '../run/sketch.js';

/** What Artillery counts and its engines' events do not tell: taken from its own periods. */
const ONLY_ARTILLERYS = /^vusers\./;

/**
 * Adds up the counters of seconds (all engine events) and periods (users).
 * @param {Record<string, any>[]} records
 * @returns {Record<string, number>}
 */
export function sumCounters(records) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const record of records) {
    if (record.kind !== 'second' && record.kind !== 'period') continue;
    for (const [name, count] of Object.entries(record.counters ?? {})) {
      if (ONLY_ARTILLERYS.test(name) !== (record.kind === 'period')) continue;
      sums[name] = (sums[name] ?? 0) + Number(count);
    }
  }
  return sums;
}

/**
 * @param {Record<string, any>[]} records
 * @param {string} name
 */
export function mergeNamedSketches(records, name) {
  const kind = ONLY_ARTILLERYS.test(name) ? 'period' : 'second';
  return mergeSketches(
    records.flatMap(record => (record.kind === kind ? (record.sketches?.[name] ?? []) : [])),
  );
}

/**
 * Counters with a common prefix, the prefix taken off, the most frequent first.
 * @param {Record<string, number>} counters
 * @param {string} prefix
 * @returns {{name: string, count: number}[]}
 */
export function countersBelow(counters, prefix) {
  return Object.entries(counters)
    .filter(([name, count]) => name.startsWith(prefix) && count > 0)
    .map(([name, count]) => ({ name: name.slice(prefix.length), count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

/** @param {{count: number}[]} list */
export function totalCount(list) {
  return list.reduce((sum, { count }) => sum + count, 0);
}
