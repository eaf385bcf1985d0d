/** Facts with an id, before they have words. */

/** @import { Severity } from '../facts/statement.d.ts' */
/** @import { Finding, FindingTable } from '../facts/findings.d.ts' */
/** @import { QualityItem, QualityTable } from '../facts/quality.d.ts' */

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

/**
 * @template {QualityItem['id']} Id
 * @param {Id} id
 * @param {QualityItem['level']} level
 * @param {QualityTable[Id]} facts
 * @returns {QualityItem}
 */
export function qualityItem(id, level, facts) {
  return /** @type {QualityItem} */ ({ id, level, facts });
}
