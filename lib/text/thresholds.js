/** Results of thresholds: the measured value and its meaning, or what is missing. */
import {
  formatChange,
  formatChangeInterval,
  formatInUnit,
  formatNumberOf,
} from '../base/format.js';
import { say } from './say.js';

/** @import { MissingTable, ThresholdResult } from '../run/facts/threshold.d.ts' */
/** @import { Catalogue, Worded } from './text.d.ts' */

/** @typedef {Worded<ThresholdResult, string>} WordedThreshold */

/** @type {Catalogue<MissingTable, string>} each a clause */
const MISSING = {
  'no-valid-run': () => 'there is no valid run',
  'no-load': () => 'the run has no load test',
  'no-requests': () => 'the run sent no HTTP requests',
  'no-responses': ({ requests }) =>
    `no response was received (${formatNumberOf(requests, 'request')} sent)`,
  'no-total-time': ({ use }) =>
    `Artillery's engine measures only the time to first byte; use ${use}`,
  'no-schedule': ({ isClosed }) =>
    isClosed
      ? 'only arrivals have a schedule, and the virtual users of this run are a closed loop'
      : "Artillery's engine does not record when requests were scheduled",
  'no-users': () => 'no virtual user was started',
  'no-socketio-time': ({ isUsed }) =>
    isUsed ? 'no such socket.io time was measured' : 'the run did not use socket.io',
  'no-sse': ({ isUsed }) => (isUsed ? 'too few events came' : 'no step opened a stream of events'),
  'no-profile': () => 'the run has no profile; record the server while the load runs (--profile)',
  'no-samples': () => 'the profile has no active samples',
  'no-workers': () => 'the server was not recorded while the load ran (--profile)',
  'no-calls': () =>
    'no response reported database statements; add the companion to the API, or give it a key (docs/companion.md)',
  'no-endpoint': ({ endpoint }) => `the run has no endpoint “${endpoint}”`,
  'no-endpoints': () => "the run has no figures per endpoint; Artillery's engine has none",
  'no-baseline': () => 'there is nothing to compare with; add --baseline <run>',
  'one-side': () => 'one of the sides has no such value',
  'zero-run': () => 'a run is 0, so there is no ratio; set an absolute limit',
};

/** @param {ThresholdResult} result @returns {string} a clause */
export function describeThreshold({ value, missing, status, unit, isRegression }) {
  if (!value) return `unknown: ${missing ? say(MISSING, missing) : ''}`;
  const format = (/** @type {number | null} */ number) => formatInUnit(number, unit);
  const measured = isRegression ? formatChange(value.value) : format(value.value);
  const interval =
    value.low === null || value.high === null
      ? ''
      : `, 95 %: ${isRegression ? formatChangeInterval(value) : `${format(value.low)} to ${format(value.high)}`}`;
  if (status !== 'uncertain') return `${measured}${interval}`;
  const remedy = isRegression ? 'compare more runs' : 'measure longer';
  return `${measured}${interval}; the limit is inside the interval, so this cannot be decided: ${remedy}`;
}

/** @param {ThresholdResult[]} results @returns {WordedThreshold[]} */
export const wordThresholds = results =>
  results.map(result => ({ ...result, text: describeThreshold(result) }));

const STATES = { pass: 'passed', fail: 'failed', uncertain: 'uncertain', unknown: 'unknown' };

/** "3 passed, 1 failed" @param {Pick<ThresholdResult, 'status'>[]} results */
export function countStates(results) {
  return Object.entries(STATES)
    .map(([status, word]) => [results.filter(result => result.status === status).length, word])
    .filter(([count]) => count !== 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}
