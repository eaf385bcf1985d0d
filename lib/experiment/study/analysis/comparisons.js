/** What a factor changes: pairs of variants that differ only in it. */

import { studentTwoSidedP } from '../../../base/math/distributions.js';
import { pooledSpread } from '../../../base/math/means.js';
import { adjustForMany, sameGroupsP } from '../../../base/math/multiple-testing.js';
import { mean } from '../../../base/math/summary.js';
import { measureOf } from '../../../run/facts/measures.js';
import { compareValues, toLogs } from '../../compare/compare-values.js';
import { ALPHA, LEAST_REPEATS } from './estimates.js';
import { hasParts } from './matrix.js';
import { boundP95, findTypicalLatency } from './variant/points.js';
import { saturatedSteps } from './variant/saturation.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { Cell } from './cells.js' */
/** @import { Factor } from '../../../run/facts/study-file.d.ts' */
/** @import { LoadModel, Point, VariantComparison } from '../../../run/facts/study-report.d.ts' */
/** @import { Saturation } from '../../../run/facts/saturation.d.ts' */
/** @import { CellMeasure, EstimateSteps } from './variant/points.js' */
/** @import { MeasuredVariant } from './variant/variant.js' */

/** @typedef {Pick<MeasuredVariant, 'id' | 'factors' | 'points' | 'saturation'>} ComparedVariant */
/** @typedef {{plateau: Point[], points: Point[], saturation: Saturation, cells: Cell[], estimate: EstimateSteps}} Side */
/** @typedef {{factors: Factor[], measuredOf: (variant: string) => Cell[], estimatorOf: (variant: string) => EstimateSteps, model: LoadModel}} Study */
/** @typedef {{measure: CellMeasure, step: number | null, steps: [number[], number[]], values: [number[], number[]], shown: [number, number], result: ReturnType<typeof compareValues>, p: number | null}} Compared `shown`: each side's figure */

/** @type {CellMeasure[]} */
const MEASURES = ['throughputPerSec', 'perBusyCore', 'cpuMsPerTransaction', 'p95Ms'];
/** CPU per transaction is 1 ÷ throughput per core: one question, not two. */
const QUESTIONS = new Set(['throughputPerSec', 'perBusyCore', 'p95Ms']);
/**
 * Below 0.05, because the same runs decide which steps belong to the plateau: of 4,000 pairs without a difference,
 * 5.9 % were significant with 0.05, and 3.5 % are with this.
 */
const GATE = 0.03;
/** If more users than this completed nothing, latency covers only the lucky ones. */
const FEW_UNSERVED = 0.1;

/**
 * A difference is significant where the runs show it: the two variants differ at all, after an adjustment for the
 * number of pairs, and the figure's own test agrees. With one run per side, nothing is significant.
 * @param {ComparedVariant[]} variants
 * @param {Study} study
 * @returns {VariantComparison[]} largest first
 */
export function compareVariants(variants, study) {
  const pairs = listPairs(variants, study.factors).map(pair => {
    const sides = [pair.before, pair.after].map(variant => findSide(variant, study));
    const step = findCommonStep(sides, study);
    const compared = MEASURES.flatMap(measure => compareSides(sides, step, measure, study));
    return { pair, sides, compared, gate: findGate(compared) };
  });
  const adjusted = adjustForMany(pairs.map(({ gate }) => gate ?? 1));
  return pairs
    .flatMap(({ pair: { factor, before, after }, sides, compared, gate }, index) => {
      const isApart = gate !== null && (adjusted[index] ?? 1) <= GATE;
      const { [factor]: afterLevel = '', ...same } = after.factors;
      const levels = { beforeLevel: before.factors[factor] ?? '', afterLevel, same };
      return compared.map(({ measure, step, steps, values: [own, other], shown, result, p }) => {
        const relative = result.relative && changeOf(shown, result.relative);
        const unserved = measure === 'p95Ms' ? findUnserved(sides, step) : null;
        const isSignificant = isApart && unserved === null && p !== null && p <= ALPHA;
        const isHigherBetter = measureOf(measure, 'study').better === 'higher';
        const isBetter = (relative?.value ?? 0) > 0 === isHigherBetter;
        return /** @type {VariantComparison} */ ({
          factor,
          before: before.id,
          after: after.id,
          ...levels,
          measure,
          step,
          steps,
          beforeValue: shown[0],
          afterValue: shown[1],
          relative,
          p,
          call: isSignificant ? (isBetter ? 'better' : 'worse') : 'none',
          runs: [own.length, other.length],
          unserved,
        });
      });
    })
    .sort((a, b) => Math.abs(b.relative?.value ?? 0) - Math.abs(a.relative?.value ?? 0));
}

/**
 * @param {ComparedVariant} variant @param {Study} study
 * @returns {Side | null} null where nothing was measured, or the generator was the limit: then there is no figure
 *   of the target
 */
function findSide({ id, points, saturation }, { measuredOf, estimatorOf }) {
  const plateau = saturatedSteps(points, saturation);
  const isLimited = points.some(({ isGeneratorLimit }) => isGeneratorLimit);
  if (plateau.length === 0 || (isLimited && saturation.state !== 'reached')) return null;
  return { plateau, points, saturation, cells: measuredOf(id), estimate: estimatorOf(id) };
}

/**
 * The highest load at which both were measured, up to where the first one reaches its limit: beyond, a closed loop's
 * latency is only users ÷ throughput. For spikes the highest, because its effect is the question.
 * @param {(Side | null)[]} sides @param {Study} study
 */
function findCommonStep([a, b], { model }) {
  if (!a || !b) return null;
  const stepsOf = (/** @type {Side} */ { points }) =>
    points.filter(({ latency }) => latency !== null).map(({ step }) => step);
  const other = new Set(stepsOf(b));
  const common = stepsOf(a).filter(step => other.has(step));
  if (model === 'spike') return common.at(-1) ?? null;
  const end = Math.min(
    ...[a, b].map(({ saturation, plateau }) => saturation.step ?? plateau.at(-1)?.step ?? 0),
  );
  return common.findLast(step => step <= end) ?? common[0] ?? null;
}

/**
 * One figure of both sides, before its difference is judged.
 * @param {(Side | null)[]} sides @param {number | null} common @param {CellMeasure} measure @param {Study} study
 * @returns {Compared[]} empty where it can't be compared
 */
function compareSides([a, b], common, measure, { model }) {
  if (!a || !b) return [];
  // if neither side reaches its limit, the figures at the limits are unknown
  const isRising = [a, b].every(({ saturation }) => saturation.state !== 'reached');
  const isAtStep = measure === 'p95Ms' || isRising;
  if (isAtStep && common === null) return [];
  // if all arrivals are served, their throughput is the schedule's
  if (measure === 'throughputPerSec' && isRising && hasParts(model)) return [];
  const stepsOf = (/** @type {Side} */ side, /** @type {Side} */ other) =>
    isAtStep ? [common ?? 0] : findSharedSteps(side, other);
  /** @type {[number[], number[]]} */
  const steps = [stepsOf(a, b), stepsOf(b, a)];
  const own = readSide(a, steps[0], measure);
  const other = readSide(b, steps[1], measure);
  if (!own || !other) return [];
  const result = compareValues(own.values, other.values, { alpha: ALPHA });
  const p = result.p ?? studentP(own.values, other.values);
  const step = isAtStep ? common : null;
  /** @type {Pick<Compared, 'values' | 'shown'>} */
  const sides = { values: [own.values, other.values], shown: [own.shown, other.shown] };
  return [{ measure, step, steps, ...sides, result, p }];
}

/**
 * Steps of a side's plateau, only those shared with the other side's plateau if there are any: the first steps of a
 * plateau are a little lower, and chance decides whether they belong to it.
 * @param {Side} side @param {Side} other
 */
function findSharedSteps(side, other) {
  const own = side.plateau.map(({ step }) => step);
  const theirs = new Set(other.plateau.map(({ step }) => step));
  const shared = own.filter(step => theirs.has(step));
  return shared.length > 0 ? shared : own;
}

/**
 * The figure as shown everywhere in the study, and the value of each repeat. Both cover all of the steps, because the
 * highest of several is high by luck too.
 * @param {Side} side @param {number[]} steps @param {CellMeasure} measure
 */
function readSide({ cells, estimate: estimateSteps }, steps, measure) {
  const known = estimateSteps(steps, measure);
  const values = known?.values.filter(value => value > 0) ?? [];
  if (!known || values.length === 0) return null;
  const typical =
    measure === 'p95Ms' &&
    findTypicalLatency(
      cells.flatMap(({ step, figures }) => (figures && steps.includes(step) ? [figures] : [])),
    );
  return { values, shown: typical ? boundP95(typical) : known.estimate.value };
}

/**
 * The change between the two shown figures. The test's interval is for the median of all pairs of runs, which may
 * differ slightly: if so, the interval is widened to contain the change.
 * @param {[number, number]} shown @param {Estimate} tested @returns {Estimate}
 */
function changeOf([before, after], { low, high }) {
  const value = after / before - 1;
  if (low === null || high === null) return { value, low: null, high: null };
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/**
 * Do the two variants differ at all? The exact test of all figures together if there are enough runs, otherwise
 * Student's smallest p over the questions (Bonferroni).
 * @param {Compared[]} compared
 * @returns {number | null}
 */
function findGate(compared) {
  const asked = compared.filter(({ measure, p }) => QUESTIONS.has(measure) && p !== null);
  const [first] = asked;
  if (!first) return null;
  const [before, after] = first.values.map(({ length }) => length);
  const isExact = asked.every(
    ({ result, values: [a, b] }) => result.p !== null && a.length === before && b.length === after,
  );
  if (!isExact) return Math.min(1, asked.length * Math.min(...asked.map(({ p }) => p ?? 1)));
  const families = asked.map(({ values }) => ({
    figures: [(toLogs(...values) ?? values).flat()],
    doubt: 1,
  }));
  return sameGroupsP(families, before ?? 0, (before ?? 0) + (after ?? 0));
}

/** For the difference of logarithms. @param {number[]} before @param {number[]} after @returns {number | null} null for fewer than three runs per side */
function studentP(before, after) {
  const logs = toLogs(before, after);
  if (!logs || Math.min(before.length, after.length) < LEAST_REPEATS) return null;
  const shift = mean(logs[1]) - mean(logs[0]);
  const error = pooledSpread(...logs) * Math.sqrt(1 / before.length + 1 / after.length);
  return error > 0 ? studentTwoSidedP(shift / error, before.length + after.length - 2) : null;
}

/**
 * Users of a closed loop who completed nothing: no latency includes their waiting.
 * @param {(Side | null)[]} sides @param {number | null} step
 * @returns {VariantComparison['unserved']}
 */
function findUnserved(sides, step) {
  const groups = sides.flatMap(side =>
    (side?.cells ?? []).flatMap(cell =>
      cell.step === step ? (cell.figures?.shares.filter(({ of }) => of === 'users') ?? []) : [],
    ),
  );
  const [worst] = groups
    .map(({ counts }) => ({ users: counts.filter(count => count === 0).length, of: counts.length }))
    .sort((one, other) => other.users / other.of - one.users / one.of);
  return worst && worst.users > worst.of * FEW_UNSERVED ? worst : null;
}

/** @typedef {{id: string, factors: Record<string, string>}} Placed */

/** With more values, each is compared only with the first one. */
const MOST_IN_PAIRS = 4;

/**
 * Pairs of variants that differ in one factor: neighbours if its values are numbers, otherwise every
 * pair.
 * @template {Placed} V
 * @param {V[]} variants @param {Factor[]} factors
 * @returns {{factor: string, before: V, after: V}[]}
 */
export function listPairs(variants, factors) {
  return factors.flatMap(factor =>
    groupByOthers(variants, factor.name).flatMap(group => {
      const ordered = sortByFactor(group, factor);
      const isNumeric = ordered.every(({ factors: own }) => isNumber(own[factor.name]));
      return ordered.flatMap((after, index) =>
        ordered.slice(0, index).flatMap((before, at) => {
          const isAsked = isNumeric
            ? at === index - 1
            : at === 0 || ordered.length <= MOST_IN_PAIRS;
          return isAsked ? [{ factor: factor.name, before, after }] : [];
        }),
      );
    }),
  );
}

/**
 * Groups of variants that are the same except for one factor.
 * @template {Placed} V
 * @param {V[]} variants @param {string} factor
 * @returns {V[][]}
 */
export function groupByOthers(variants, factor) {
  const keyOf = (/** @type {V} */ { factors }) =>
    JSON.stringify(Object.entries(factors).filter(([name]) => name !== factor));
  return [...Map.groupBy(variants, keyOf).values()];
}

/** Numbers by size, otherwise the order of the study file. @template {Placed} V @param {V[]} variants @param {Factor} factor */
function sortByFactor(variants, { name, values }) {
  const labels = values.map(({ label }) => label);
  const isNumeric = labels.every(isNumber);
  return variants.toSorted((a, b) => {
    const [left, right] = [a.factors[name] ?? '', b.factors[name] ?? ''];
    return isNumeric ? Number(left) - Number(right) : labels.indexOf(left) - labels.indexOf(right);
  });
}

/** @param {string | undefined} label */
function isNumber(label) {
  return label !== undefined && label.trim() !== '' && Number.isFinite(Number(label));
}
