/** Chooses the next load to measure, from the steps so far. Pure, so that simulations can call it. */
import { median, standardError, sum } from '../../base/math/summary.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { FindEnd, FindLevel, FindStep, FindVerdict } from '../../run/facts/find.d.ts' */

/** @typedef {Pick<FindStep, 'level' | 'margin'>} Step */

/** The load is multiplied or divided by this factor until one load keeps the limits and another does not. */
const FACTOR = 2;
/** The ratio of the two loads is then halved (geometrically) until they are well within 10 %. */
const PRECISION = 1.07;
/** Number of runs at the resulting load. */
const CONFIRMED = 3;
/**
 * An unclear load is repeated until one verdict leads by LEAD runs, or until MOST runs: a single stall of the machine
 * must not decide. A disturbed generator gets a second attempt.
 */
const [LEAD, MOST] = [2, 5];

/**
 * @param {Step[]} steps in the order of measurement
 * @param {{start: number, lowest: number, isWhole: boolean}} range `isWhole`: of users
 * @returns {{level: number, isCoarse: boolean} | {end: FindEnd}}
 */
export function nextStep(steps, { start, lowest, isWhole }) {
  const levels = listLevels(steps);
  const { below, above } = findSides(levels);
  const unclear = levels.find(({ isSettled }) => !isSettled);
  if (unclear) return { level: unclear.level, isCoarse: false };
  const apart = below && above ? above.level / below.level : Number.POSITIVE_INFINITY;
  const wanted = above
    ? above.level / (below ? Math.sqrt(apart) : FACTOR)
    : below
      ? below.level * FACTOR
      : start;
  const level = isWhole ? Math.round(wanted) : Number(wanted.toPrecision(3));
  const isNew = level >= lowest && levels.every(own => own.level !== level);
  if (isNew && apart > PRECISION) return { level, isCoarse: !above };
  if (above?.verdict === 'limited') return { end: 'generator' };
  if (!below) return { end: 'fails' };
  return below.runs < CONFIRMED ? { level: below.level, isCoarse: false } : { end: 'found' };
}

/** @param {Step[]} steps @returns {FindLevel[]} the lowest load first */
export function listLevels(steps) {
  const byLevel = [...Map.groupBy(steps, ({ level }) => level)].sort(([a], [b]) => a - b);
  return byLevel.map(([level, own]) => {
    const known = own.flatMap(({ margin }) => margin ?? []);
    const values = known.map(({ value }) => value);
    const beyond = values.filter(value => value > 0).length;
    const lead = Math.abs(2 * beyond - values.length);
    const verdict = judgeMargins(known);
    return {
      level,
      runs: known.length || own.length,
      verdict,
      // A stall of the machine can spoil one run of three, and would shift their mean.
      margin: known.length > 0 ? median(values) : 0,
      isSettled:
        verdict === 'limited'
          ? own.length >= LEAD
          : verdict !== 'unknown' || lead >= LEAD || own.length >= MOST,
    };
  });
}

/**
 * The interval of the median: the interval of the mean of the runs, or their standard error if that is larger.
 * @param {Estimate[]} margins of the runs of one load
 * @returns {FindVerdict}
 */
export function judgeMargins(margins) {
  if (margins.length === 0) return 'limited';
  const values = margins.map(({ value }) => value);
  const between = values.length > 1 ? standardError(values) : 0;
  const reach = (/** @type {'low' | 'high'} */ end) => {
    const squares = margins.map(one => ((one[end] ?? one.value) - one.value) ** 2);
    return Math.max(between, Math.sqrt(sum(squares)) / margins.length);
  };
  if (median(values) + reach('high') < 0) return 'keeps';
  return median(values) - reach('low') > 0 ? 'fails' : 'unknown';
}

/**
 * The lowest load that does not keep the limits, and the highest load below it.
 * @param {FindLevel[]} levels by load
 * @returns {Record<'below' | 'above', FindLevel | null>}
 */
export function findSides(levels) {
  const at = levels.findIndex(({ verdict, margin }) => verdict === 'limited' || margin > 0);
  const split = at < 0 ? levels.length : at;
  return { below: levels[split - 1] ?? null, above: levels[split] ?? null };
}
