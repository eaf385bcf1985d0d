/** What a factor changes: pairs of variants that differ in it alone. */
import { compareValues, toLogs } from '../compare/compare-values.js';
import { studentTwoSidedP } from '../math/distributions.js';
import { pooledSpread } from '../math/means.js';
import { adjustForMany, sameGroupsP } from '../math/multiple-testing.js';
import { mean } from '../math/summary.js';
import { ALPHA, findRelativeHalf, LEAST_REPEATS } from './estimates.js';
import { listPairs } from './siblings.js';
import { measureOfCell, windowsOf } from './variant/points.js';
import { saturatedSteps } from './variant/saturation.js';

/** @import { Cell } from './cells.js' */
/** @import { Factor } from './study-file.d.ts' */
/** @import { LoadModel, Point, Saturation, VariantComparison } from './study-report.d.ts' */
/** @import { CellMeasure } from './variant/points.js' */
/** @import { MeasuredVariant } from './variant/variant.js' */

/** @typedef {Pick<MeasuredVariant, 'id' | 'factors' | 'points' | 'saturation'>} ComparedVariant */
/** @typedef {{plateau: Point[], points: Point[], saturation: Saturation, cells: Cell[]}} Side */
/** @typedef {{factors: Factor[], measuredOf: (variant: string) => Cell[], api: string[], model: LoadModel}} Study `api`: components that count as the API's */
/** @typedef {{measure: CellMeasure, step: number | null, steps: [number[], number[]], values: [number[], number[]], result: ReturnType<typeof compareValues>, p: number | null}} Compared */

/** @type {CellMeasure[]} */
const MEASURES = ['throughputPerSec', 'perBusyCore', 'cpuMsPerTransaction', 'p95Ms'];
/** CPU per transaction is one ÷ throughput per core: one question, not two. */
const QUESTIONS = new Set(['throughputPerSec', 'perBusyCore', 'p95Ms']);
const HIGHER_IS_BETTER = new Set(['throughputPerSec', 'perBusyCore']);
/**
 * Below 0.05, for which steps belong to the plateau is chosen from the same runs: of 4,000 pairs without
 * a difference 5.9 % were significant with 0.05, and 3.5 % are with this.
 */
const GATE = 0.03;
/** With a larger share of users who completed nothing, latency is that of the lucky ones. */
const FEW_UNSERVED = 0.1;

/**
 * A difference is significant where runs say so: two variants can be told apart at all, after an
 * adjustment for how many pairs there are, and this figure's own test agrees. With one run a side
 * nothing is.
 * @param {ComparedVariant[]} variants
 * @param {Study} study
 * @returns {VariantComparison[]} the biggest first
 */
export function compareVariants(variants, study) {
  const pairs = listPairs(variants, study.factors).map(pair => {
    const sides = [pair.before, pair.after].map(variant => findSide(variant, study));
    const step = findCommonStep(sides);
    const compared = MEASURES.flatMap(measure => compareSides(sides, step, measure, study));
    return { pair, sides, compared, gate: findGate(compared) };
  });
  const adjusted = adjustForMany(pairs.map(({ gate }) => gate ?? 1));
  return pairs
    .flatMap(({ pair: { factor, before, after }, sides, compared, gate }, index) => {
      const isApart = gate !== null && (adjusted[index] ?? 1) <= GATE;
      const { [factor]: afterLevel = '', ...same } = after.factors;
      const levels = { beforeLevel: before.factors[factor] ?? '', afterLevel, same };
      return compared.map(({ measure, step, steps, values: [own, other], result, p }) => {
        const { relative, intervalOf } = result;
        const unserved = measure === 'p95Ms' ? findUnserved(sides, step) : null;
        const isSignificant = isApart && unserved === null && p !== null && p <= ALPHA;
        const isBetter = (relative?.value ?? 0) > 0 === HIGHER_IS_BETTER.has(measure);
        return /** @type {VariantComparison} */ ({
          factor,
          before: before.id,
          after: after.id,
          ...levels,
          measure,
          step,
          steps,
          beforeValue: result.before.center,
          afterValue: result.after.center,
          relative,
          intervalOf: ['none', 'within-run'].includes(intervalOf) ? intervalOf : 'repeats',
          p,
          call: isSignificant ? (isBetter ? 'better' : 'worse') : 'none',
          runs: [own.length, other.length],
          pairs: pairs.length,
          unserved,
        });
      });
    })
    .sort((a, b) => Math.abs(b.relative?.value ?? 0) - Math.abs(a.relative?.value ?? 0));
}

/**
 * @param {ComparedVariant} variant @param {Study} study
 * @returns {Side | null} null where nothing was measured, or what the generator could not send: that is
 *   no figure of the target
 */
function findSide({ id, points, saturation }, { measuredOf }) {
  const plateau = saturatedSteps(points, saturation);
  const isLimited = points.some(({ isGeneratorLimit }) => isGeneratorLimit);
  if (plateau.length === 0 || (isLimited && saturation.state !== 'reached')) return null;
  return { plateau, points, saturation, cells: measuredOf(id) };
}

/**
 * The most load that both were measured at, up to where the first of them is at its end: beyond, a
 * closed loop's latency is nothing but users ÷ throughput.
 * @param {(Side | null)[]} sides
 */
function findCommonStep([a, b]) {
  if (!a || !b) return null;
  const stepsOf = (/** @type {Side} */ { points }) =>
    points.filter(({ latency }) => latency !== null).map(({ step }) => step);
  const other = new Set(stepsOf(b));
  const common = stepsOf(a).filter(step => other.has(step));
  const end = Math.min(
    ...[a, b].map(({ saturation, plateau }) => saturation.step ?? plateau.at(-1)?.step ?? 0),
  );
  return common.findLast(step => step <= end) ?? common[0] ?? null;
}

/**
 * One figure of both, before its difference is judged.
 * @param {(Side | null)[]} sides @param {number | null} common @param {CellMeasure} measure @param {Study} study
 * @returns {Compared[]} none where it can't be compared
 */
function compareSides([a, b], common, measure, { api, model }) {
  if (!a || !b) return [];
  // where neither is at its end, the figures at their ends are not known
  const isRising = [a, b].every(({ saturation }) => saturation.state !== 'reached');
  const isAtStep = measure === 'p95Ms' || isRising;
  if (isAtStep && common === null) return [];
  // the throughput of arrivals that are all served is the schedule's
  if (measure === 'throughputPerSec' && isRising && model === 'open') return [];
  const stepsOf = (/** @type {Side} */ side, /** @type {Side} */ other) =>
    isAtStep ? [common ?? 0] : findSharedSteps(side, other);
  /** @type {[number[], number[]]} */
  const steps = [stepsOf(a, b), stepsOf(b, a)];
  const own = perRepeat(a.cells, steps[0], measure, api);
  const other = perRepeat(b.cells, steps[1], measure, api);
  if (own.values.length === 0 || other.values.length === 0) return [];
  const result = compareValues(own.values, other.values, {
    alpha: ALPHA,
    within: [own.within, other.within],
  });
  const p = result.p ?? studentP(own.values, other.values);
  const step = isAtStep ? common : null;
  return [{ measure, step, steps, values: [own.values, other.values], result, p }];
}

/**
 * Steps of its plateau, those that belong to the other's as well where there are such: the first steps
 * of a plateau are a little lower, and chance decides whether they belong to it.
 * @param {Side} side @param {Side} other
 */
function findSharedSteps(side, other) {
  const own = side.plateau.map(({ step }) => step);
  const theirs = new Set(other.plateau.map(({ step }) => step));
  const shared = own.filter(step => theirs.has(step));
  return shared.length > 0 ? shared : own;
}

/**
 * Each repeat's own figure: over several steps the middle of them (their geometric mean), for the one
 * highest of several is high by luck, too.
 * @param {Cell[]} cells @param {number[]} steps @param {CellMeasure} measure @param {string[]} api
 */
function perRepeat(cells, steps, measure, api) {
  const own = cells.flatMap(({ step, repeat, figures }) => {
    const value = figures && steps.includes(step) && measureOfCell(figures, measure, api);
    return value ? [{ repeat, value, windows: windowsOf(figures, measure, api) }] : [];
  });
  const repeats = [...Map.groupBy(own, ({ repeat }) => repeat).values()];
  const values = repeats.map(group => Math.exp(mean(group.map(({ value }) => Math.log(value)))));
  const [value = 0] = values;
  const half = repeats.length === 1 ? findRelativeHalf(own.map(({ windows }) => windows)) : null;
  return { values, within: half === null ? null : { error: half * value, logError: half, t: 1 } };
}

/**
 * Whether the two variants can be told apart at all: the exact test of all figures together where there
 * are enough runs, else Student's smallest p over the questions (Bonferroni).
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

/** Of the difference of logarithms. @param {number[]} before @param {number[]} after @returns {number | null} null for fewer than three runs a side */
function studentP(before, after) {
  const logs = toLogs(before, after);
  if (!logs || Math.min(before.length, after.length) < LEAST_REPEATS) return null;
  const shift = mean(logs[1]) - mean(logs[0]);
  const error = pooledSpread(...logs) * Math.sqrt(1 / before.length + 1 / after.length);
  return error > 0 ? studentTwoSidedP(shift / error, before.length + after.length - 2) : null;
}

/**
 * Users of a closed loop who completed nothing: their waiting is in no latency.
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
