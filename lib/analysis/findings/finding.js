/** @import { Severity } from '../../facts/statement.d.ts' */
/** @import { Finding, FindingTable } from '../../facts/findings.d.ts' */

/**
 * @template {Finding['id']} Id
 * @param {Id} id
 * @param {Severity} severity
 * @param {FindingTable[Id]} facts
 * @param {string | null} [of] which one, where a run can have several
 * @returns {Finding}
 */
export function finding(id, severity, facts, of = null) {
  return /** @type {Finding} */ ({ id, of, severity, facts });
}
