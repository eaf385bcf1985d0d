/** @import { QualityItem, QualityTable } from '../../facts/quality.d.ts' */

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
