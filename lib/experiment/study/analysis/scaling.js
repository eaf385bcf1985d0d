/** What more workers, processes or pods gain, for each combination of the other factors. */

import { mapEstimate } from '../../../base/math/intervals.js';
import { groupByOthers } from './comparisons.js';
import { ratioOfThroughputs } from './estimates.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { EstimateSteps } from './variant/points.js' */
/** @import { Scaling, VariantReport } from '../../../run/facts/study-report.d.ts' */

/**
 * @typedef {object} ScalingPoint
 * @property {number} value their number, above 0
 * @property {string} variant
 * @property {Estimate} throughputPerSec at its plateau
 * @property {number[]} values one per repeat
 * @property {Scaling['points'][number]['bottleneck']} bottleneck
 */

/** A doubling that gains less is not worth it. */
const LEAST_GAIN = 0.05;

/**
 * Leaves out variants whose throughput is the generator's.
 * @param {VariantReport[]} variants
 * @param {{over: string | null, estimatorOf: (variant: string) => EstimateSteps}} options
 * @returns {Scaling[]}
 */
export function judgeScalings(variants, { over, estimatorOf }) {
  if (over === null) return [];
  return groupByOthers(variants, over).map(group => {
    const { [over]: _own, ...others } = group[0]?.factors ?? {};
    const points = group.flatMap(
      ({ id: variant, factors, plateau, saturation, bottleneck: found }) => {
        const { throughputPerSec } = saturation;
        if (found.id === 'generator' || !throughputPerSec) return [];
        const values = estimatorOf(variant)(plateau.steps, 'throughputPerSec')?.values ?? [];
        const { id, component } = found;
        const value = Number(factors[over]);
        return { value, variant, throughputPerSec, values, bottleneck: { id, component } };
      },
    );
    return {
      label: Object.entries(others)
        .map(([name, label]) => `${name} ${label}`)
        .join(', '),
      factors: others,
      over,
      ...judgeScaling(points),
    };
  });
}

/**
 * Efficiency is X(k) ÷ (k/k₀ · X(k₀)) (V. Kumar et al., "Introduction to Parallel Computing" (1994),
 * 4.1), k₀ the smallest value. `worthUpTo`: the first value beyond which no other brings 5 % more per
 * doubling, so a single low point among rising ones does not end it.
 * @param {ScalingPoint[]} points
 * @returns {Pick<Scaling, 'points' | 'worthUpTo' | 'leastGain'>}
 */
export function judgeScaling(points) {
  const ascending = points
    .filter(({ value, throughputPerSec }) => value > 0 && throughputPerSec.value > 0)
    .toSorted((a, b) => a.value - b.value);
  const [first] = ascending;
  if (!first) return { points: [], worthUpTo: null, leastGain: LEAST_GAIN };
  const judged = ascending.map((point, index) => {
    const { value, variant, throughputPerSec, bottleneck } = point;
    const before = ascending[index - 1];
    const efficiency = mapEstimate(ratioOf(point, first), ratio => (ratio * first.value) / value);
    const gain = before ? mapEstimate(ratioOf(point, before), ratio => ratio - 1) : null;
    return { value, variant, throughputPerSec, efficiency, gain, bottleneck };
  });
  const worth = ascending
    .slice(0, -1)
    .find((point, index) =>
      ascending.slice(index + 1).every(more => gainPerDoubling(point, more) < LEAST_GAIN),
    );
  return { points: judged, worthUpTo: worth?.value ?? null, leastGain: LEAST_GAIN };
}

/** @param {ScalingPoint} top @param {ScalingPoint} bottom */
function ratioOf(top, bottom) {
  return ratioOfThroughputs(
    { estimate: top.throughputPerSec, values: top.values },
    { estimate: bottom.throughputPerSec, values: bottom.values },
  );
}

/** @param {ScalingPoint} point @param {ScalingPoint} more */
function gainPerDoubling(point, more) {
  const ratio = more.throughputPerSec.value / point.throughputPerSec.value;
  return ratio ** (1 / Math.log2(more.value / point.value)) - 1;
}
