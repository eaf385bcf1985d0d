/** What more workers, processes or pods bring, for each combination of the other factors. */
import {
  estimateOverRepeats,
  LEAST_REPEATS,
  mapEstimate,
  ratioOfThroughputs,
} from './estimates.js';
import { groupByOthers } from './siblings.js';
import { fitUsl } from './variant/usl/fit-usl.js';

/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { Stage } from '../facts/study-file.d.ts' */
/** @import { EstimateSteps } from './variant/points.js' */
/** @import { Scaling, VariantReport } from '../facts/study-report.d.ts' */

/**
 * @typedef {object} ScalingPoint
 * @property {number} value how many there are, above 0
 * @property {string} variant
 * @property {Estimate} throughputPerSec at its plateau
 * @property {number[]} values of each repeat
 * @property {Scaling['points'][number]['bottleneck']} bottleneck
 */

/** Less than this per doubling is not worth a doubling. */
const LEAST_GAIN = 0.05;
/** One number of workers does not show that another lets no more through. */
const LEAST_SIZES = 2;
/** More than this at most would still be something. */
const NOTHING_MORE = 0.1;

/**
 * A variant whose throughput is the generator's is left out.
 * @param {VariantReport[]} variants
 * @param {{over: string | null, random: () => number, estimatorOf: (variant: string) => EstimateSteps, stages: Stage[], cpus: number | null}} options
 * @returns {Scaling[]}
 */
export function judgeScalings(variants, { over, random, estimatorOf, stages, cpus }) {
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
    const all = points.flatMap(({ value, values }) =>
      values.map(x => ({ n: value, x, step: value })),
    );
    return {
      label: Object.entries(others)
        .map(([name, label]) => `${name} ${label}`)
        .join(', '),
      factors: others,
      over,
      ...judgeScaling(points),
      serialCeiling: findSerialCeiling(points, stages),
      beyondCores: judgeBeyondCores(points, cpus),
      usl: fitUsl(all, { random }),
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

/**
 * One stage of a pipeline takes one at a time, and it is what stops few and many workers behind it alike.
 * Where that is seen with one number only, or another part stops some of them, nothing is said.
 * @param {ScalingPoint[]} points @param {Stage[]} stages
 * @returns {Scaling['serialCeiling']}
 */
export function findSerialCeiling(points, stages) {
  const serial = stages.filter(({ servers }) => Number(servers) === 1).map(({ name }) => name);
  const own = points.toSorted((a, b) => a.value - b.value);
  const [first] = own;
  const last = own.at(-1);
  const { component: stage } = first?.bottleneck ?? {};
  const isAlone = own.every(
    ({ bottleneck: { id, component } }) => id === 'stage' && component === stage,
  );
  if (!first || !last || !stage || own.length < LEAST_SIZES) return null;
  if (!isAlone || !serial.includes(stage)) return null;
  if (Math.abs(gainPerDoubling(first, last)) >= LEAST_GAIN) return null;
  const all = own.flatMap(({ values }) => values).filter(value => value > 0);
  const { estimate: perSec } = estimateOverRepeats(all, []);
  const each = (/** @type {number | null} */ rate) => (rate ? 1000 / rate : null);
  const { value, low, high } = perSec;
  const eachMs = { value: 1000 / value, low: each(high), high: each(low) };
  return { stage, perSec, eachMs, sizes: own.map(point => point.value) };
}

/**
 * Whether more of them than cores bring anything: an answer only where repeats give one.
 * @param {ScalingPoint[]} points @param {number | null} cpus
 * @returns {Scaling['beyondCores']}
 */
export function judgeBeyondCores(points, cpus) {
  const ranked = points
    .filter(({ values }) => values.length >= LEAST_REPEATS)
    .toSorted((a, b) => b.throughputPerSec.value - a.throughputPerSec.value);
  const within = ranked.find(({ value }) => cpus !== null && value <= cpus);
  const beyond = ranked.find(({ value }) => cpus !== null && value > cpus);
  if (cpus === null || !within || !beyond) return null;
  const relative = mapEstimate(ratioOf(beyond, within), ratio => ratio - 1);
  const { low, high } = relative;
  const call = (low ?? 0) > 0 ? 'more' : (high ?? Infinity) < NOTHING_MORE ? 'nothing' : null;
  return call && { cpus, from: within.value, to: beyond.value, relative, call };
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
