/** Counters of a load by name, and which of them are failures: the one place that decides it. */
import { sum } from './summary.js';

/** @typedef {Record<string, number>} Counters */

/**
 * Counters with a common prefix, without that prefix, the most frequent first.
 * @param {Counters} counters
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
export const totalCount = list => sum(list.map(({ count }) => count));

/**
 * Errors by name: of requests, connections and messages, and others (`isOfStep`), with which none of them failed.
 * An error of a response whose status is already a failure does not count again.
 * @param {Counters} counters
 * @returns {{name: string, count: number, isOfStep?: boolean}[]}
 */
export function listErrors(counters) {
  return countersBelow(counters, 'errors.').flatMap(({ name, count }) => {
    const ofSteps = counters[`errors_of_steps.${name}`] ?? 0;
    const own = { name, count: count - ofSteps - (counters[`http.refused.${name}`] ?? 0) };
    return [own, { name, count: ofSteps, isOfStep: true }].filter(part => part.count > 0);
  });
}

/**
 * Failed requests, connections and messages: responses of 400 and above, and errors. The error of a refused response
 * may be counted a second after the response: over all seconds the sum is right.
 * @param {Counters} counters
 */
export function countErrors(counters) {
  const refused = countersBelow(counters, 'http.codes.').filter(({ name }) => Number(name) >= 400);
  const count = (/** @type {string} */ prefix) => totalCount(countersBelow(counters, prefix));
  const known = totalCount(refused) + count('errors.');
  return known - count('http.refused.') - count('errors_of_steps.');
}
