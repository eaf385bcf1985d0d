/** How a comparison was made, in a sentence (it runs in the browser too). */

/** @import { CompareReport } from '../../compare/compare-report.d.ts' */

/** @param {CompareReport} comparison */
export function describeBasis({ basis, alpha, sameGroupsP }) {
  const level = Math.round((1 - alpha) * 100);
  if (basis === 'within-run')
    return `Values are of one run a side; intervals (${level} %) are from a block bootstrap within each run, and say nothing of differences between runs.`;
  if (basis === 'few-runs')
    return `Values are medians over runs; intervals (${level} %) assume that runs spread normally.`;
  const together =
    sameGroupsP === null
      ? ''
      : ` All figures together: p = ${sameGroupsP < 0.001 ? '< 0.001' : sameGroupsP.toFixed(3)}.`;
  return `Values are medians over runs, ± half of their range. Change and interval (${level} %) by Hodges and Lehmann, p by an exact Mann–Whitney test over runs, over endpoints adjusted by Benjamini and Hochberg. “~”: nothing can be said; “3 more runs”: so many a side would show a change of this size four times of five; “sees 7 %”: a change that large would have been found four times of five.${together}`;
}
