/** The stop rule: do the load steps of a variant end here? */
import { wilsonInterval } from '../../../base/math/intervals.js';

/** @import { StopRule } from '../../../run/facts/study-file.d.ts' */
/** @import { StopReason } from '../../../run/facts/study-records.d.ts' */

/**
 * @typedef {object} StopStep
 * @property {number} step users, or arrivals per second
 * @property {number} throughputPerSec
 * @property {number | null} p95Ms null: no response
 * @property {number} errorRate of requests, 0…1
 * @property {number} skippedRate of arrivals, 0…1
 * @property {boolean} isGeneratorLimit
 * @property {number} [requests] behind the error rate: one error in 20 does not prove 1 %
 */

/**
 * Steps closer together than this gain less than the rule's limit even if throughput grows in proportion to the load:
 * the rule looks back until the load has grown by half.
 */
const LEAST_GROWTH = 1.5;

/** This many steps in a row must gain little: a single one may be noise. */
const GAIN_STEPS = 2;

/** @typedef {(steps: [StopStep, ...StopStep[]], rule: StopRule) => StopReason | null} Judge gets the steps with the last one first */

/**
 * Reasons that make the other figures worthless come first.
 * @type {Judge[]}
 */
const RULES = [
  ([{ isGeneratorLimit }]) => (isGeneratorLimit ? { id: 'generator', facts: {} } : null),
  ([{ errorRate, requests }], { errors }) => {
    const sure = requests ? wilsonInterval(errorRate * requests, requests).low : errorRate;
    return sure > errors ? { id: 'errors', facts: { errorRate, most: errors } } : null;
  },
  ([{ skippedRate }], { skipped }) =>
    skippedRate > skipped ? { id: 'skipped', facts: { skippedRate, most: skipped } } : null,
  ([{ p95Ms }], { p95Ms: mostMs }) =>
    mostMs !== null && p95Ms !== null && p95Ms > mostMs
      ? { id: 'p95', facts: { p95Ms, mostMs } }
      : null,
  judgeGain,
];

/**
 * @param {StopStep[]} steps of one block so far, ascending
 * @param {StopRule} rule
 * @returns {StopReason | null} null: continue
 */
export function judgeStop(steps, rule) {
  const [last, ...before] = steps.toReversed();
  if (!last) return null;
  const reasons = RULES.map(judge => judge([last, ...before], rule));
  return reasons.find(reason => reason !== null) ?? null;
}

/**
 * Gains are judged together, from the throughput before the last two steps to that after them. If each one alone had
 * to be small, noise of 5 % would hide half of the plateaus. A rise of 20 % per step is still hardly ever mistaken for
 * a plateau (`truth.check.js`).
 * @type {Judge}
 */
function judgeGain(steps, { gain }) {
  const [last] = steps;
  const back = steps.findIndex(
    ({ step }, index) => index >= GAIN_STEPS && last.step >= LEAST_GROWTH * step,
  );
  const base = steps[back];
  if (!base || !(base.throughputPerSec > 0)) return null;
  const change = last.throughputPerSec / base.throughputPerSec - 1;
  const wanted = (1 + gain) ** GAIN_STEPS - 1;
  if (change >= wanted) return null;
  const isPerStep = back === GAIN_STEPS;
  return {
    id: 'gain',
    facts: { change, steps: back, least: isPerStep ? gain : wanted, isPerStep },
  };
}
