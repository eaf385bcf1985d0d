/** Facts with an id, before they get words. */

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Severity } from '../../run/facts/statement.d.ts' */
/** @import { Finding, FindingTable } from '../../run/facts/findings.d.ts' */
/** @import { QualityItem, QualityTable } from '../../run/facts/quality.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Throttling } from '../profile/throttling.js' */

/**
 * What a rule sees: the report built so far.
 * @typedef {Pick<Report, 'run' | 'load' | 'profile'> &
 *   Partial<Pick<Report, 'cpu' | 'taskWorkers' | 'bottleneck' | 'whatIf' | 'timeline' | 'costs' | 'balance' | 'logs' | 'cluster' | 'calls'>> &
 *   {throttling?: Throttling}} Facts
 */

/** @typedef {(facts: Facts) => Finding[]} FindingRule */

/**
 * What is known about a run besides its report.
 * @typedef {object} QualityData
 * @property {number} torn lines that were cut off
 * @property {number | null} totalRequests the generator's own count over the whole load, where it has one
 * @property {Throttling} throttling
 * @property {string[]} waitsLost why idle samples are missing
 * @property {QualityTable['warm-up'] | null} warmUp how the load was chosen
 * @property {boolean} trustsAnyCluster its kubeconfig accepts any certificate
 * @property {string[]} logsEnded why following logs ended early
 * @property {string | null} [front] the program that has the target's port
 */

/** Listed per kind. */
export const MOST_LISTED = 6;

/**
 * @template {Finding['id']} Id
 * @param {Id} id
 * @param {Severity} severity
 * @param {FindingTable[Id]} facts
 * @param {string | null} [of] the subject, where a run can have several
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
export const qualityItem = (id, level, facts) => /** @type {QualityItem} */ ({ id, level, facts });

/** However wide its interval, more than this is much. */
const SURELY_MUCH = 0.05;

/** An interval as wide as its value only shows that the value is above zero. @param {Estimate} share */
export const isSure = ({ value, low }) => low === null || low >= Math.min(value / 2, SURELY_MUCH);

/** So much of the CPU is worth a look, whatever it is; more than half also where a busy machine makes its interval wide. */
const [MOSTLY, HALF] = [0.3, 0.5];

/** @param {Estimate} share */
export const isMostly = share => share.value > HALF || (isSure(share) && share.value >= MOSTLY);
