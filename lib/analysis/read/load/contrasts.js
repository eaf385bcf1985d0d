/** Which steps of the script differ in what they cost, of those that differ in their query only. */

/** @import { QueryContrast } from '../../../run/facts/load-report.d.ts' */
/** @import { QuerySums } from '../../../run/facts/records.d.ts' */

/** Fewer responses to a step show no difference. */
const LEAST_RESPONSES = 20;
/** Less than one statement, or one ms of CPU, per request is no cost. */
const LEAST_MEAN = 1;
const LEAST_FACTOR = 2;
/** In standard errors of the difference: ten queries make 45 pairs. */
const SURE = 4;

const AMOUNTS = /** @type {const} */ (['statements', 'cpuMs']);

/** The two queries that differ most, in each amount. @param {Record<string, QuerySums>} queries @returns {QueryContrast[]} */
export function findContrasts(queries) {
  return AMOUNTS.flatMap(of => {
    const steps = Object.entries(queries).flatMap(([query, sums]) => {
      const { count, sum, squares } = sums[of];
      const mean = sum / count;
      const variance = Math.max(0, squares / count - mean ** 2) / (count - 1);
      return count < LEAST_RESPONSES ? [] : { query, mean, variance };
    });
    const [most, ...others] = steps.sort((a, b) => b.mean - a.mean);
    const least = others.at(-1);
    if (!most || !least) return [];
    const isMuch = most.mean >= Math.max(LEAST_MEAN, least.mean * LEAST_FACTOR);
    const isSure = most.mean - least.mean > SURE * Math.sqrt(most.variance + least.variance);
    return isMuch && isSure ? { of, most, least } : [];
  });
}
