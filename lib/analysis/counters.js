/** Sums over the records of a load test: counters, sketches, endpoints. */
import { mergeSketches } from '../run/sketch.js';

/**
 * The records that tell of a load test: its seconds. Artillery's periods say the same once more and
 * ten times coarser; they are taken only where there are no seconds.
 * @param {Record<string, any>[]} records
 */
function chooseRecords(records) {
  const seconds = records.filter(({ kind }) => kind === 'second');
  return seconds.length > 0 ? seconds : records.filter(({ kind }) => kind === 'period');
}

/**
 * Adds up the counters of a load test.
 * @param {Record<string, any>[]} records
 * @returns {Record<string, number>}
 */
export function sumCounters(records) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const record of chooseRecords(records)) {
    for (const [name, count] of Object.entries(record.counters ?? {})) {
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
  return mergeSketches(chooseRecords(records).flatMap(({ sketches }) => sketches?.[name] ?? []));
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
