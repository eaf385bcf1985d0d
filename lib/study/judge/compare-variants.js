/** What a factor changes: pairs of variants that differ in it alone. */
import { compareValues, toLogs } from '../../compare/compare-values.js';
import { adjustForMany } from '../../compare/statistics/benjamini-hochberg.js';
import { sameGroupsP } from '../../compare/statistics/same-groups.js';
import { pooledSpread, studentTwoSidedP } from '../../compare/statistics/student.js';
import { measureOfCell, windowsOf } from './cell-values.js';
import { describeComparison, describePair } from './comparison-words.js';
import { ALPHA, findRelativeHalf, meanOf } from './estimate.js';
import { findPlateau } from './plateau.js';
import { listPairs } from './siblings.js';

/** @import { Factor } from '../study-file.d.ts' */
/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { VariantComparison } from '../study-report.d.ts' */
/** @import { CellMeasure } from './cell-values.js' */
/** @import { Cell } from './collect-cells.js' */

/** @typedef {Pick<import('./judge-variant.js').MeasuredVariant, 'id' | 'label' | 'factors' | 'points' | 'saturation'>} MeasuredVariant */

/** @typedef {Omit<VariantComparison, 'call' | 'text'> & {gate: number | null, runs: [number, number], unserved: string | null}} Compared */

/** @type {{id: CellMeasure, better: 'higher' | 'lower'}[]} */
const MEASURES = [
  { id: 'throughputPerSec', better: 'higher' },
  { id: 'perBusyCore', better: 'higher' },
  { id: 'cpuMsPerTransaction', better: 'lower' },
  { id: 'p95Ms', better: 'lower' },
];
/**
 * Below 0.05, for which steps belong to the plateau is chosen from the same runs: of 4,000 pairs without
 * a difference 6.2 % were called with 0.05, 5.0 % with 0.04.
 */
const GATE = 0.03;
/** CPU per transaction is one ÷ throughput per core: one question, not two. */
const QUESTIONS = ['throughputPerSec', 'perBusyCore', 'p95Ms'];

/**
 * A difference is called where runs say so: two variants can be told apart at all, after an adjustment
 * for how many pairs there are, and this figure's own test agrees. With one run a side nothing is called.
 * @param {MeasuredVariant[]} variants
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
        const { better } = MEASURES.find(({ id }) => id === compared.measure) ?? {
          better: 'higher',
        };
        const isCalled =
          gate !== null &&
          unserved === null &&
          (adjusted[index] ?? 1) <= GATE &&
          (compared.p ?? 1) <= ALPHA;
        const isUp = (compared.relative?.value ?? 0) > 0;
        /** @type {VariantComparison['call']} */
        const call = !isCalled ? 'none' : isUp === (better === 'higher') ? 'better' : 'worse';
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

/**
 * @param {ReturnType<typeof listPairs<MeasuredVariant>>[number]} pair
 * @param {{measuredOf: (variant: string) => Cell[], api: string[], throughputLabel: string, model: 'closed' | 'open'}} study
 * @returns {Compared[]}
 */
function comparePair({ factor, before, after }, { measuredOf, api, throughputLabel, model }) {
  const sides = [before, after].map(variant => ({
    variant,
    plateau: findPlateau(variant.points, variant.saturation),
    cells: measuredOf(variant.id),
    isLimited:
      variant.points.some(({ isGeneratorLimit }) => isGeneratorLimit) &&
      variant.saturation.state !== 'reached',
  }));
  const [a, b] = sides;
  // what the generator could not send is no figure of the target
  if (!a || !b || a.isLimited || b.isLimited || a.plateau.length === 0 || b.plateau.length === 0)
    return [];
  const common = findCommonStep(a, b);
  // where neither is at its end, the figures at their ends are not known
  const isRising = [a, b].every(({ variant }) => variant.saturation.state !== 'reached');
  const compared = MEASURES.flatMap(({ id }) => {
    const isAtStep = id === 'p95Ms' || isRising;
    if (isAtStep && common === null) return [];
    // the throughput of arrivals that are all served is the schedule's
    if (id === 'throughputPerSec' && isRising && model === 'open') return [];
    const [own, other] = [a, b].map(side =>
      perRepeat(
        side.cells,
        isAtStep ? [common ?? 0] : findSharedSteps(side, side === a ? b : a),
        id,
        api,
      ),
    );
    if (!own || !other || own.values.length === 0 || other.values.length === 0) return [];
    const result = compareValues(own.values, other.values, {
      alpha: ALPHA,
      within: [own.within, other.within],
    });
    return {
      factor,
      before: before.id,
      after: after.id,
      measure: id,
      label: labelOf(id, throughputLabel, api),
      step: isAtStep ? common : null,
      beforeValue: result.before.center,
      afterValue: result.after.center,
      relative: result.relative,
      intervalOf: basisOf(result.intervalOf),
      p: result.p ?? studentP(own.values, other.values),
      isExact: result.p !== null,
      values: [own.values, other.values],
      unserved: id === 'p95Ms' ? findUnserved([a, b], common) : null,
      runs: /** @type {[number, number]} */ ([own.values.length, other.values.length]),
    };
  });
  const gate = findGate(compared);
  return compared.map(({ isExact: _isExact, values: _values, ...rest }) => ({ ...rest, gate }));
}

/** @param {import('../../compare/compare-report.d.ts').Change['intervalOf']} basis @returns {VariantComparison['intervalOf']} */
function basisOf(basis) {
  return basis === 'hodges-lehmann' || basis === 'student' ? 'repeats' : basis;
}

/**
 * Each repeat's own figure: over several steps the middle of them (their geometric mean), for the one
 * highest of several is high by luck, too.
 * @param {Cell[]} cells @param {number[]} steps @param {CellMeasure} measure @param {string[]} api
 */
function perRepeat(cells, steps, measure, api) {
  const own = cells.filter(({ step, figures }) => figures && steps.includes(step));
  const repeats = [...Map.groupBy(own, ({ repeat }) => repeat).values()].flatMap(group => {
    const known = group.flatMap(({ figures }) => {
      const value = figures && measureOfCell(figures, measure, api);
      return value ? [{ value, figures }] : [];
    });
    if (known.length === 0) return [];
    const value = Math.exp(known.reduce((sum, one) => sum + Math.log(one.value), 0) / known.length);
    return [{ value, all: known.map(({ figures }) => figures) }];
  });
  const [only] = repeats;
  return {
    values: repeats.map(({ value }) => value),
    within: repeats.length === 1 && only ? withinRun(only.all, measure, api, only.value) : null,
  };
}

/** @param {CellFigures[]} all @param {CellMeasure} measure @param {string[]} api @param {number} value */
function withinRun(all, measure, api, value) {
  const half = findRelativeHalf(all.map(figures => windowsOf(figures, measure, api)));
  return half === null ? null : { error: half * value, logError: half, t: 1 };
}

/**
 * Whether the two variants can be told apart at all: the exact test of all figures together where there
 * are enough runs, else Student's smallest p over the questions (Bonferroni).
 * @param {{measure: CellMeasure, p: number | null, isExact: boolean, values: number[][], runs: [number, number]}[]} compared
 * @returns {number | null}
 */
function findGate(compared) {
  const asked = compared.filter(({ measure, p }) => QUESTIONS.includes(measure) && p !== null);
  const [first] = asked;
  if (!first) return null;
  const [before, after] = first.runs;
  if (!asked.every(({ isExact, runs }) => isExact && runs[0] === before && runs[1] === after))
    return Math.min(1, asked.length * Math.min(...asked.map(({ p }) => p ?? 1)));
  const families = asked.map(({ values: [a = [], b = []] }) => ({
    figures: [(toLogs(a, b) ?? [a, b]).flat()],
    doubt: 1,
  }));
  return sameGroupsP(families, before, before + after);
}

/** Of the difference of logarithms. @param {number[]} before @param {number[]} after @returns {number | null} null for fewer than three runs a side */
function studentP(before, after) {
  const logs = toLogs(before, after);
  if (!logs || Math.min(before.length, after.length) < 3) return null;
  const spread = pooledSpread(...logs);
  const shift = meanOf(logs[1]) - meanOf(logs[0]);
  const error = spread * Math.sqrt(1 / before.length + 1 / after.length);
  return error > 0 ? studentTwoSidedP(shift / error, before.length + after.length - 2) : null;
}

/** With a larger share of users who completed nothing, latency is that of the lucky ones. */
const FEW_UNSERVED = 0.1;

/**
 * Users of a closed loop who completed nothing: their waiting is in no latency.
 * @param {{cells: Cell[]}[]} sides @param {number | null} step
 * @returns {string | null}
 */
function findUnserved(sides, step) {
  const groups = sides.flatMap(({ cells }) =>
    cells.flatMap(cell =>
      cell.step === step ? (cell.figures?.shares.filter(({ of }) => of === 'users') ?? []) : [],
    ),
  );
  const [worst] = groups
    .map(({ counts }) => ({ of: counts.length, none: counts.filter(count => count === 0).length }))
    .sort((one, other) => other.none / other.of - one.none / one.of);
  if (!worst || worst.none <= worst.of * FEW_UNSERVED) return null;
  return `of those who were served: ${worst.none} of ${worst.of} users completed nothing`;
}

/** @typedef {{plateau: MeasuredVariant['points'], variant: MeasuredVariant}} Side */

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
 * The most load that both were measured at, up to where the first of them is at its end: beyond, a
 * closed loop's latency is nothing but users ÷ throughput.
 * @param {Side} a @param {Side} b
 */
function findCommonStep(a, b) {
  const stepsOf = (/** @type {Side} */ { variant }) =>
    variant.points.filter(({ latency }) => latency !== null).map(({ step }) => step);
  const other = new Set(stepsOf(b));
  const common = stepsOf(a).filter(step => other.has(step));
  const end = Math.min(
    ...[a, b].map(
      ({ variant: { saturation }, plateau }) => saturation.step ?? plateau.at(-1)?.step ?? 0,
    ),
  );
  return common.findLast(step => step <= end) ?? common[0] ?? null;
}

/** @param {CellMeasure} measure @param {string} throughputLabel @param {string[]} api */
function labelOf(measure, throughputLabel, api) {
  const whose = api.length === 1 && api[0] === 'workers' ? 'workers' : 'target';
  return {
    throughputPerSec: throughputLabel,
    perBusyCore: `${throughputLabel} per core that the ${whose} used`,
    cpuMsPerTransaction: `CPU-ms of the ${whose} per transaction`,
    p95Ms: 'p95',
  }[measure];
}
