/** `judgeScaling(points, over)`: what more workers, processes or pods bring. */
import { formatCount, formatNumberOf, formatPercent } from '../../format.js';
import { formatChosenShare } from './format-chosen-share.js';
import { ratioOfThroughputs } from './ratio-of-throughputs.js';

/** @typedef {import('../study-report.d.ts').Scaling} Scaling */
/** @typedef {import('../../analysis/report.d.ts').Estimate} Estimate */

/**
 * @typedef {object} ScalingPoint
 * @property {number} value how many there are, above 0
 * @property {string} variant
 * @property {Estimate} throughputPerSec at its plateau
 * @property {number[]} values of each repeat
 * @property {Scaling['points'][number]['limit']} limit
 */

/** Less than this per doubling is not worth a doubling. */
const LEAST_GAIN = 0.05;

/**
 * Efficiency is X(k) ÷ (k/k₀ · X(k₀)) (V. Kumar et al., "Introduction to Parallel Computing" (1994),
 * 4.1), k₀ the smallest value. `worthUpTo`: the first value beyond which no other brings 5 % more per
 * doubling, so a single low point among rising ones does not end it.
 * @param {ScalingPoint[]} points
 * @param {string} over what is counted, `workers`
 * @returns {Pick<Scaling, 'points' | 'worthUpTo' | 'text'>}
 */
export function judgeScaling(points, over) {
  const ascending = points
    .filter(({ value, throughputPerSec }) => value > 0 && throughputPerSec.value > 0)
    .toSorted((a, b) => a.value - b.value);
  const [first] = ascending;
  if (!first) return { points: [], worthUpTo: null, text: `nothing was measured over ${over}` };
  const judged = ascending.map((point, index) => {
    const { value, variant, throughputPerSec, limit } = point;
    const before = ascending[index - 1];
    const efficiency = scale(ratioOfThroughputs(point, first), first.value / value);
    const gain = before ? shift(ratioOfThroughputs(point, before)) : null;
    return { value, variant, throughputPerSec, efficiency, gain, limit };
  });
  const worth = ascending
    .slice(0, -1)
    .find((point, index) =>
      ascending.slice(index + 1).every(more => gainPerDoubling(point, more) < LEAST_GAIN),
    );
  const last = judged.at(-1);
  const worthUpTo = worth?.value ?? null;
  return { points: judged, worthUpTo, text: describe(worthUpTo, last, over, ascending.length) };
}

/** @param {ScalingPoint} point @param {ScalingPoint} more */
function gainPerDoubling(point, more) {
  const ratio = more.throughputPerSec.value / point.throughputPerSec.value;
  return ratio ** (1 / Math.log2(more.value / point.value)) - 1;
}

/** @param {number | null} worthUpTo @param {Scaling['points'][number] | undefined} last @param {string} over @param {number} count */
function describe(worthUpTo, last, over, count) {
  if (!last || count < 2) return `one number of ${over} says nothing about scaling`;
  const efficiency = `at ${formatCount(last.value)} ${over} ${formatPercent(last.efficiency.value)} of linear growth is left`;
  return worthUpTo === null
    ? `more ${over} bring more up to ${formatCount(last.value)}, the most that was measured; ${efficiency}`
    : `worth having: ${formatNumberOf(worthUpTo, over.replace(/s$/, ''), over)}; more bring less than ${formatChosenShare(LEAST_GAIN)} per doubling; ${efficiency}`;
}

/** @param {Estimate} estimate @param {number} factor */
function scale({ value, low, high }, factor) {
  return { value: value * factor, low: low && low * factor, high: high && high * factor };
}

/** A ratio as a change. @param {Estimate} estimate */
function shift({ value, low, high }) {
  return {
    value: value - 1,
    low: low === null ? null : low - 1,
    high: high === null ? null : high - 1,
  };
}
