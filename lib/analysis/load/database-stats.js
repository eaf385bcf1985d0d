/** What the database itself counted, beside what the companion reported. */

import { sum } from '../../base/math/summary.js';

/** @import { CallsReport, DatabaseStats, Statement } from '../../run/facts/calls.d.ts' */

/** `IN (?, ?)`, also with types: `?::BIGINT` */
const LIST = /\bIN \((?:\?(?:::[\w ]+)?(?:, |(?=\))))+\)/gi;

/** `$1` and `?` are the same parameter, and lists of any length the same list. @param {string | null} text */
const unify = text =>
  `${text}`.replace(/\$\d+/g, '?').replace(/\s+/g, ' ').trim().replace(LIST, 'IN (?)');

/**
 * Adds `databaseMeanMs` to the statements that the database counted too, by their text.
 * @template {CallsReport | null} T @param {T} calls @param {DatabaseStats | undefined} stats @returns {T}
 */
export function addDatabaseTimes(calls, stats) {
  if (!calls || !stats) return calls;
  const byText = Map.groupBy(stats.statements, one => unify(one.text));
  const statements = calls.statements.map((/** @type {Statement} */ one) => {
    const own = one.text === null ? undefined : byText.get(unify(one.text));
    const count = sum((own ?? []).map(known => known.count));
    return own ? { ...one, databaseMeanMs: sum(own.map(({ ms }) => ms)) / count } : one;
  });
  return { ...calls, statements };
}
