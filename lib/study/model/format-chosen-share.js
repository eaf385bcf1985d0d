import { formatPercent } from '../../format.js';

/** A share that somebody chose and nobody measured has no decimals to show: 0.3 → "30 %". @param {number} share */
export function formatChosenShare(share) {
  return formatPercent(share).replace('.0 %', ' %');
}
