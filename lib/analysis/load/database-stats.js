/** What the database itself counted, beside what the companion reported. */

/** @import { CallsReport, DatabaseStats, Statement } from '../../run/facts/calls.d.ts' */

/** `$1` and `?` are the same parameter. @param {string | null} text */
const unify = text => text?.replace(/\$\d+/g, '?').replace(/\s+/g, ' ').trim().toLowerCase();

/**
 * Adds `databaseMeanMs` to the statements that the database counted too, by their text.
 * @template {CallsReport | null} T @param {T} calls @param {DatabaseStats | undefined} stats @returns {T}
 */
export function addDatabaseTimes(calls, stats) {
  if (!calls || !stats) return calls;
  const means = new Map(stats.statements.map(one => [unify(one.text), one.ms / one.count]));
  const statements = calls.statements.map((/** @type {Statement} */ one) => {
    const databaseMeanMs = one.text === null ? undefined : means.get(unify(one.text));
    return databaseMeanMs === undefined ? one : { ...one, databaseMeanMs };
  });
  return { ...calls, statements };
}
