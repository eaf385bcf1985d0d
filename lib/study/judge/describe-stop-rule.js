import { formatMs, formatNumberOf, formatPercent } from '../../format.js';

/**
 * The rule that ends the steps of a variant, in words.
 * @param {import('../study-file.d.ts').StopRule} rule
 */
export function describeStopRule({ gain, gainSteps, p95Ms, errors, skipped }) {
  return [
    `less than ${formatPercent(gain)} more throughput in ${formatNumberOf(gainSteps, 'step')} in a row`,
    p95Ms === null ? null : `p95 above ${formatMs(p95Ms)}`,
    `more than ${formatPercent(errors)} errors`,
    `more than ${formatPercent(skipped)} skipped arrivals`,
    'or the generator is the limit',
  ]
    .filter(part => part !== null)
    .join(', ');
}
