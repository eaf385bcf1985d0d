/** Which figures of two variants are set against each other: at which steps, of which repeats. */
import { measureOfCell, windowsOf } from './cell-values.js';
import { findRelativeHalf } from './estimate.js';
import { findPlateau } from './plateau.js';

/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { Point, Saturation } from '../study-report.d.ts' */
/** @import { CellMeasure } from './cell-values.js' */
/** @import { Cell } from './collect-cells.js' */

/** @typedef {{plateau: Point[], points: Point[], saturation: Saturation, cells: Cell[]}} Side */

/**
 * @param {{points: Point[], saturation: Saturation}} variant
 * @param {Cell[]} cells measured ones of it
 * @returns {Side | null} null where nothing was measured, or what the generator could not send: that is
 *   no figure of the target
 */
export function findSide({ points, saturation }, cells) {
  const plateau = findPlateau(points, saturation);
  const isLimited = points.some(({ isGeneratorLimit }) => isGeneratorLimit);
  if (plateau.length === 0 || (isLimited && saturation.state !== 'reached')) return null;
  return { plateau, points, saturation, cells };
}

/**
 * Each repeat's own figure: over several steps the middle of them (their geometric mean), for the one
 * highest of several is high by luck, too.
 * @param {Cell[]} cells @param {number[]} steps @param {CellMeasure} measure @param {string[]} api
 */
export function perRepeat(cells, steps, measure, api) {
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

/** With a larger share of users who completed nothing, latency is that of the lucky ones. */
const FEW_UNSERVED = 0.1;

/**
 * Users of a closed loop who completed nothing: their waiting is in no latency.
 * @param {{cells: Cell[]}[]} sides @param {number | null} step
 * @returns {string | null}
 */
export function findUnserved(sides, step) {
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

/**
 * Steps of its plateau, those that belong to the other's as well where there are such: the first steps
 * of a plateau are a little lower, and chance decides whether they belong to it.
 * @param {Side} side @param {Side} other
 */
export function findSharedSteps(side, other) {
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
export function findCommonStep(a, b) {
  const stepsOf = (/** @type {Side} */ { points }) =>
    points.filter(({ latency }) => latency !== null).map(({ step }) => step);
  const other = new Set(stepsOf(b));
  const common = stepsOf(a).filter(step => other.has(step));
  const end = Math.min(
    ...[a, b].map(({ saturation, plateau }) => saturation.step ?? plateau.at(-1)?.step ?? 0),
  );
  return common.findLast(step => step <= end) ?? common[0] ?? null;
}
