import { formatMs, formatPercent } from '../../format.js';

/**
 * The rule that ends the steps of a variant, in words that follow "until".
 * @param {import('../study-file.d.ts').StopRule} rule
 */
export function describeStopRule({ gain, gainSteps, p95Ms, errors, skipped }) {
  const times = gainSteps === 1 ? 'in one step' : `in ${gainSteps} steps in a row`;
  const reasons = [
    `throughput rises by less than ${percent(gain)} ${times}`,
    p95Ms === null ? null : `p95 is above ${formatMs(p95Ms)}`,
    `more than ${percent(errors)} of requests fail`,
    `more than ${percent(skipped)} of arrivals are skipped`,
  ];
  return `${reasons.filter(Boolean).join(', ')}, or the generator is the limit`;
}

/** @param {number} share */
function percent(share) {
  return formatPercent(share).replace('.0 %', ' %');
}
