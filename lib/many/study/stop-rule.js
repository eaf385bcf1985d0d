/** The stop rule: whether the steps of load of a variant end here. */
import { wilsonInterval } from '../../math/intervals.js';

/** @import { StopRule } from '../../facts/study-file.d.ts' */
/** @import { StopReason } from '../../facts/study-records.d.ts' */

/**
 * @typedef {object} StopStep
 * @property {number} step users, or arrivals per second
 * @property {number} throughputPerSec
 * @property {number | null} p95Ms null: nothing was answered
 * @property {number} errorRate of requests, 0…1
 * @property {number} skippedRate of arrivals, 0…1
 * @property {boolean} isGeneratorLimit
 * @property {number} [requests] how many the error rate rests on: one error of 20 is no proof of 1 %
 */

/**
 * Steps that lie closer together than this bring less than the rule's gain even where throughput grows
 * as the load does: the rule looks back until the load has grown by half.
 */
const LEAST_GROWTH = 1.5;

/** So many steps in a row have to bring little: one alone may be noise. */
const GAIN_STEPS = 2;

/** @typedef {(steps: [StopStep, ...StopStep[]], rule: StopRule) => StopReason | null} Judge gets the steps with the last one first */

/**
 * What makes the other figures worthless comes first.
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
 * @returns {StopReason | null} null: go on
 */
export function judgeStop(steps, rule) {
  const [last, ...before] = steps.toReversed();
  if (!last) return null;
  for (const judge of RULES) {
    const reason = judge([last, ...before], rule);
    if (reason) return reason;
  }
  return null;
}

/**
 * Gains are judged together, from the throughput before the last two steps to that after them:
 * if each alone had to be small, noise of 5 % would hide half of the plateaus; a rise of 20 % a step is
 * hardly ever taken for one all the same (`truth.check.js`).
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
