/** What a factor changes: pairs of variants that differ in it alone. */
import { adjustForMany } from '../../compare/statistics/benjamini-hochberg.js';
import { comparePair } from './compare-pair.js';
import { describeComparison, describePair } from './comparison-words.js';
import { ALPHA } from './estimate.js';
import { listPairs } from './siblings.js';

/** @import { Factor } from '../study-file.d.ts' */
/** @import { VariantComparison } from '../study-report.d.ts' */
/** @import { Cell } from './collect-cells.js' */
/** @import { ComparedVariant } from './compare-pair.js' */

/** @type {Set<VariantComparison['measure']>} */
const HIGHER_IS_BETTER = new Set(['throughputPerSec', 'perBusyCore']);
/**
 * Below 0.05, for which steps belong to the plateau is chosen from the same runs: of 4,000 pairs without
 * a difference 5.9 % were called with 0.05, and 3.5 % are with this.
 */
const GATE = 0.03;

/**
 * A difference is called where runs say so: two variants can be told apart at all, after an adjustment
 * for how many pairs there are, and this figure's own test agrees. With one run a side nothing is called.
 * @param {ComparedVariant[]} variants
 * @param {object} study
 * @param {Factor[]} study.factors
 * @param {(variant: string) => Cell[]} study.measuredOf
 * @param {string[]} study.api components that count as the API's
 * @param {string} study.throughputLabel
 * @param {'closed' | 'open'} study.model
 * @returns {VariantComparison[]} the biggest first
 */
export function compareVariants(variants, { factors, measuredOf, api, throughputLabel, model }) {
  const pairs = listPairs(variants, factors).map(pair =>
    comparePair(pair, { measuredOf, api, throughputLabel, model }),
  );
  const gates = pairs.map(([first]) => first?.gate ?? null);
  const adjusted = adjustForMany(gates.map(gate => gate ?? 1));
  return pairs
    .flatMap((pair, index) =>
      pair.map(({ gate, runs, unserved, ...compared }) => {
        const isCalled =
          gate !== null &&
          unserved === null &&
          (adjusted[index] ?? 1) <= GATE &&
          (compared.p ?? 1) <= ALPHA;
        const isUp = (compared.relative?.value ?? 0) > 0;
        /** @type {VariantComparison['call']} */
        const call = !isCalled
          ? 'none'
          : isUp === HIGHER_IS_BETTER.has(compared.measure)
            ? 'better'
            : 'worse';
        const factorsOf = (/** @type {string} */ id) =>
          variants.find(one => one.id === id)?.factors ?? {};
        const { factor, before, after } = compared;
        const what = describePair(factor, factorsOf(before), factorsOf(after));
        const about = { runs, pairs: pairs.length, what, model, unserved };
        const text = describeComparison({ ...compared, call }, about);
        return { ...compared, call, text };
      }),
    )
    .sort((a, b) => Math.abs(b.relative?.value ?? 0) - Math.abs(a.relative?.value ?? 0));
}
