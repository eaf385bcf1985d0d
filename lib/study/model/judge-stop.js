/**
 * `judgeStop(steps, rule)` → StopReason or null: whether the steps of load of a variant end here.
 */
import { formatMs, formatNumberOf, formatPercent } from '../../format.js';
import { wilsonInterval } from '../../wilson.js';
import { formatChosenShare } from './format-chosen-share.js';

/** @typedef {import('../study-file.d.ts').StopRule} StopRule */
/** @typedef {import('../study-records.d.ts').StopReason} StopReason */

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

/** In the order in which they are told: what makes the other figures worthless comes first. */
const RULES = [
  {
    id: /** @type {const} */ ('generator'),
    /** @type {Judge} */
    judge: ([{ isGeneratorLimit }]) =>
      isGeneratorLimit ? 'the load generator was the limit, not the target' : null,
  },
  {
    id: /** @type {const} */ ('errors'),
    /** @type {Judge} */
    judge: ([{ errorRate, requests }], { errors }) => {
      const sure = requests ? wilsonInterval(errorRate * requests, requests).low : errorRate;
      return sure > errors
        ? `${formatPercent(errorRate)} of requests failed, more than ${formatChosenShare(errors)}`
        : null;
    },
  },
  {
    id: /** @type {const} */ ('skipped'),
    /** @type {Judge} */
    judge: ([{ skippedRate }], { skipped }) =>
      skippedRate > skipped
        ? `${formatPercent(skippedRate)} of arrivals were skipped, more than ${formatChosenShare(skipped)}`
        : null,
  },
  {
    id: /** @type {const} */ ('p95'),
    /** @type {Judge} */
    judge: ([{ p95Ms }], { p95Ms: most }) =>
      most !== null && p95Ms !== null && p95Ms > most
        ? `p95 was ${formatMs(p95Ms)}, above ${formatMs(most)}`
        : null,
  },
  { id: /** @type {const} */ ('gain'), judge: judgeGain },
];

/** @typedef {(steps: [StopStep, ...StopStep[]], rule: StopRule) => string | null} Judge gets the steps with the last one first */

/**
 * @param {StopStep[]} steps of one block so far, ascending
 * @param {StopRule} rule
 * @returns {StopReason | null} null: go on
 */
export function judgeStop(steps, rule) {
  const [last, ...before] = steps.toReversed();
  if (!last) return null;
  for (const { id, judge } of RULES) {
    const text = judge([last, ...before], rule);
    if (text) return { id, text };
  }
  return null;
}

/**
 * Gains are judged together, from the throughput before the last `gainSteps` steps to that after them:
 * if each alone had to be small, noise of 5 % would hide half of the plateaus; a rise of 20 % a step is
 * hardly ever taken for one all the same (`truth.check.js`).
 * @type {Judge}
 */
function judgeGain(steps, { gain, gainSteps }) {
  const [last] = steps;
  const back = steps.findIndex(
    ({ step }, index) => index >= gainSteps && last.step >= LEAST_GROWTH * step,
  );
  const base = steps[back];
  if (!base || !(base.throughputPerSec > 0)) return null;
  const grown = last.throughputPerSec / base.throughputPerSec - 1;
  const wanted = (1 + gain) ** gainSteps - 1;
  if (grown >= wanted) return null;
  const change = grown < 0 ? `fell by ${formatPercent(-grown)}` : `rose by ${formatPercent(grown)}`;
  const least = back === gainSteps ? `${formatChosenShare(gain)} a step` : formatPercent(wanted);
  return `throughput ${change} over the last ${formatNumberOf(back, 'step')}, less than ${least}`;
}
