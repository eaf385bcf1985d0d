/** What more workers, processes or pods bring, for each combination of the other factors. */
import { judgeScaling } from '../model/judge-scaling.js';
import { fitUsl } from '../model/usl/fit-usl.js';
import { findPlateau } from './plateau.js';
import { groupByOthers } from './siblings.js';

/** @import { Scaling, VariantReport } from '../study-report.d.ts' */

/** Limits of a variant whose figure is not what the target can do. */
const NOT_ITS_OWN = new Set(['generator']);

/**
 * @param {VariantReport[]} variants
 * @param {{over: string | null, random: () => number}} options
 * @returns {Scaling[]}
 */
export function judgeScale(variants, { over, random }) {
  if (over === null) return [];
  return groupByOthers(variants, over).flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const { [over]: _own, ...others } = first.factors;
    const points = group.flatMap(variant => {
      const { saturation, limit, id } = variant;
      if (NOT_ITS_OWN.has(limit.id) || !saturation.throughputPerSec) return [];
      const plateau = findPlateau(variant.points, saturation);
      return {
        value: Number(variant.factors[over]),
        variant: id,
        throughputPerSec: saturation.throughputPerSec,
        values: plateau.flatMap(({ values }) => values),
        limit: limit.id,
      };
    });
    return {
      label: Object.entries(others)
        .map(([name, label]) => `${name} ${label}`)
        .join(', '),
      factors: others,
      over,
      ...judgeScaling(points, over),
      usl: fitUsl(
        points.flatMap(({ value, values }) => values.map(x => ({ n: value, x, step: value }))),
        { random },
      ),
    };
  });
}
