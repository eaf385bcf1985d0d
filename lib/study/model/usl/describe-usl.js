import { formatCount, formatPercent, formatRate } from '../../../format.js';

/** @typedef {import('../../study-report.d.ts').UslFit} UslFit */

/**
 * A fitted law in a sentence.
 * @param {Omit<UslFit, 'text'>} fit
 * @param {number} largest N that was measured
 */
export function describeUsl({ nMax, xMax, sigma, validToN }, largest) {
  const measured = formatN(largest);
  if (!nMax)
    return `no peak seen up to N = ${measured}${describeContention(sigma?.value ?? 0)}; nothing is said past N = ${formatN(validToN ?? largest)}`;
  const where = `N = ${formatN(nMax.value)}${formatInterval(nMax)}`;
  const height = formatRate(xMax?.value ?? null);
  return nMax.value <= largest
    ? `throughput peaks at ${where} with ${height}; more at a time make it less`
    : `a peak is to be expected at ${where} with ${height}, past the N = ${measured} that was measured`;
}

/** @param {number} sigma */
function describeContention(sigma) {
  return sigma > 0.0005
    ? ` (σ: ${formatPercent(sigma)} of the work is done one after the other)`
    : '';
}

/** @param {import('../../../analysis/report.d.ts').Estimate} n */
function formatInterval({ low, high }) {
  if (low === null) return '';
  return high === null ? ` (${formatN(low)} or more)` : ` (${formatN(low)}–${formatN(high)})`;
}

/** Measured concurrency is no whole number. @param {number} n */
function formatN(n) {
  return n < 9.95 && !Number.isInteger(n) ? n.toFixed(1) : formatCount(n);
}
