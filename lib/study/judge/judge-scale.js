/** What more workers, processes or pods bring, for each combination of the other factors. */
import { formatChange, formatChangeInterval, formatCount } from '../../format.js';
import { judgeScaling } from '../model/judge-scaling.js';
import { fitUsl } from '../model/usl/fit-usl.js';
import { findPlateau } from './plateau.js';
import { groupByOthers } from './siblings.js';
import { capitalize, endSentence } from './words.js';

/** @import { Scaling, VariantReport } from '../study-report.d.ts' */

/**
 * A variant whose throughput is the generator's is left out.
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
      if (limit.id === 'generator' || !saturation.throughputPerSec) return [];
      const plateau = findPlateau(variant.points, saturation);
      return {
        value: Number(variant.factors[over]),
        variant: id,
        throughputPerSec: saturation.throughputPerSec,
        values: plateau.flatMap(({ values }) => values),
        limit: limit.id,
      };
    });
    const scaling = {
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
    return { ...scaling, text: describeGains(scaling, group) };
  });
}

/**
 * "1 → 2 workers +54 % (+45 … +64 %), 2 → 4 +2 % (−3 … +8 %): more than 2 bring less than 5 % per
 * doubling. With 2: the two cores are full …"
 * @param {Scaling} scaling @param {VariantReport[]} group
 */
function describeGains({ points, over, worthUpTo, text }, group) {
  const gains = points.flatMap(({ value, gain }, index) => {
    const before = points[index - 1];
    if (!gain || !before) return [];
    const interval = gain.low === null ? '' : ` (${formatChangeInterval(gain)})`;
    return `${formatCount(before.value)} → ${formatCount(value)}${index === 1 ? ` ${over}` : ''} ${formatChange(gain.value)}${interval}`;
  });
  if (gains.length === 0) return endSentence(capitalize(text));
  const end = points.find(({ value }) => value === worthUpTo) ?? points.at(-1);
  const count = formatCount(end?.value ?? null);
  const limit = group.find(({ id }) => id === end?.variant)?.limit ?? null;
  const isTold = limit && limit.id !== 'none' && limit.id !== 'unknown';
  const why = isTold ? ` With ${count}: ${limit.text}` : '';
  return worthUpTo === null
    ? `${gains.join(', ')}; more than ${count} were not measured.${why}`
    : `${gains.join(', ')}: more than ${count} bring less than 5 % per doubling.${why}`;
}
