/** Decides each figure from the pairs of runs so far. Pure, so that simulations can call it. */

import { studentTwoSidedQuantile } from '../../base/math/distributions.js';
import { mapEstimate } from '../../base/math/intervals.js';
import { hodgesLehmannShift } from '../../base/math/rank-tests.js';
import { signedRankShift } from '../../base/math/signed-rank.js';
import { mean, median, standardDeviation } from '../../base/math/summary.js';
import { measureOf } from '../../run/facts/measures.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { Decision, TryReport } from '../../run/facts/try.d.ts' */

/** Error rate of a try: of all its decisions together, over all looks. */
export const ALPHA = 0.05;

/**
 * When each figure is tested, and which share of its error rate the test spends. Shares are fixed in advance, so a
 * measurement may stop at any look, or continue later (alpha spending: K. Lan, D. DeMets, Biometrika 70, 1983; here the
 * shares simply add up, which is valid for looks of any dependence, and for other tests at each).
 * The first looks (`early`) can only show large changes: see `earlyShift`. The look after 5 pairs compares the runs of
 * both sides (Mann and Whitney). Later ones compare the runs of each pair (Wilcoxon), which cancels slow drift.
 * `sees`: the change that 80 % of simulated tries find, in standard deviations of normal runs; `findableChange` has a
 * formula for early looks.
 */
export const LOOKS = /** @type {const} */ ([
  { pairs: 2, share: 0.04, test: 'early', sees: 0 },
  { pairs: 3, share: 0.1, test: 'early', sees: 0 },
  { pairs: 5, share: 0.32, test: 'ranks', sees: 3.1 },
  { pairs: 11, share: 0.2, test: 'pairs', sees: 2 },
  { pairs: 17, share: 0.24, test: 'pairs', sees: 1.45 },
  { pairs: 29, share: 0.06, test: 'pairs', sees: 1.2 },
  { pairs: 55, share: 0.04, test: 'pairs', sees: 0.85 },
]);

/**
 * The pairs after which runs of this length are judged. Early ones need at least four blocks of seconds within a run,
 * as `estimateWithinRun` makes them. A run of 7 s has four, one of 9 s only three longer ones.
 * @param {number} sec length of a run
 */
export const looksOf = sec =>
  LOOKS.filter(({ test }) => test !== 'early' || sec / Math.ceil(Math.cbrt(sec)) > 3);

/** Runs of one side vary by at least this much, as a standard deviation of logarithms. */
export const LEAST_SPREAD = 0.05;
/** Assumed on a machine without earlier tries: background load that comes and goes changes a run by up to half. */
export const UNKNOWN_SPREAD = 0.2;
/** Exceeded by a normal value in 20 % of cases. */
const Z80 = 0.84;
/** What side A shows of its variation in two or three runs raises the assumed one, in effect by this: 4,000 simulations. */
const OWN = 1.2;
/** Degrees of freedom with which Student's t is normal. */
const NORMAL = 1e6;
/** The assumed variation may be wrong by this factor. */
const WRONG_BY = 2;

/** Pairs after the last interim analysis change nothing. */
const MOST_PAIRS = LOOKS.at(-1)?.pairs ?? 0;
/** Invalid pairs in a row after which a try ends. */
const MOST_EXCLUDED = 3;

/** One figure of both runs of a pair; null: not known. `error`: of ln(b ÷ a), from the variation within both runs. @typedef {{a: number | null, b: number | null, error?: number | null}} Pair */

/**
 * The decision of the last interim analysis that was reached; later pairs count from the next one on.
 * @param {MeasureId} measure
 * @param {Pair[]} pairs in the order of measurement; pairs without a value are left out
 * @param {{measures: number, smallest: number, spread?: number | undefined}} options `measures`: how many figures share alpha;
 *   `smallest`: the smallest relative difference that matters; `spread`: standard deviation of ln(figure) between runs,
 *   from earlier tries on this machine
 * @returns {Decision}
 */
export function decide(measure, pairs, { measures, smallest, spread = UNKNOWN_SPREAD }) {
  const known = pairs.filter(({ a, b }) => a && b && a > 0 && b > 0);
  const look = LOOKS.findLast(one => one.pairs <= known.length);
  const used = look ? known.slice(0, look.pairs) : known;
  const readLogs = (/** @type {'a' | 'b'} */ side) => used.map(own => Math.log(own[side] ?? 0));
  const [before, after] = [readLogs('a'), readLogs('b')];
  const ratios = after.map((log, at) => log - (before[at] ?? 0));
  const alpha = ((look?.share ?? 0) * ALPHA) / measures;
  const errors = used.flatMap(({ error }) => error ?? []);
  /** @returns {Estimate} */
  const estimate = () => {
    if (look?.test === 'pairs') return signedRankShift(ratios, alpha);
    if (look?.test === 'ranks') return hodgesLehmannShift(before, after, alpha);
    if (look && errors.length === used.length)
      return earlyShift(before, after, { errors, spread, alpha });
    return { value: ratios.length > 0 ? median(ratios) : 0, low: null, high: null };
  };
  const relative = mapEstimate(estimate(), Math.expm1);
  return { measure, pairs: used.length, relative, call: callOf(measure, relative, smallest) };
}

/**
 * The shift of two or three pairs: too few for ranks, and for Student's t, which would also take two states of a machine
 * for two versions. It is a z test with a known variation: what was seen within the runs, and between runs `WRONG_BY`
 * times the largest of three: `LEAST_SPREAD`, that of earlier tries, and that of side A here.
 * @param {number[]} before logarithms
 * @param {number[]} after
 * @param {{errors: number[], spread: number, alpha: number}} known
 * @returns {Estimate}
 */
function earlyShift(before, after, { errors, spread, alpha }) {
  const runs = before.length;
  const between = assumeSpread(Math.max(spread, standardDeviation(before)));
  const error = Math.hypot(between * Math.sqrt(2 * runs), ...errors) / runs;
  const value = mean(after) - mean(before);
  const half = studentTwoSidedQuantile(alpha, NORMAL) * error;
  return { value, low: value - half, high: value + half };
}

/** @param {number} spread */
const assumeSpread = spread => WRONG_BY * Math.max(LEAST_SPREAD, spread);

/**
 * @param {number} mostPairs
 * @param {{spread: number, inPairs?: number, assumed?: number, measures: number, durationSec?: number}} machine `spread` of its runs,
 *   that of the two of a pair, and the one that `decide` assumes
 * @returns {number | null} relative change that 80 % of tries with so many pairs find; null: too few for a test
 */
export function findableChange(
  mostPairs,
  { spread, inPairs = spread, assumed = spread, measures, durationSec = 10 },
) {
  const shifts = looksOf(durationSec)
    .filter(({ pairs }) => pairs <= mostPairs)
    .map(({ pairs, share, test, sees }) => {
      if (test !== 'early') return sees * (test === 'pairs' ? inPairs : spread);
      const z = studentTwoSidedQuantile((share * ALPHA) / measures, NORMAL);
      const most = assumeSpread(Math.max(assumed, OWN * spread));
      return (z * Math.hypot(most, spread) + Z80 * spread) * Math.sqrt(2 / pairs);
    });
  return shifts.length > 0 ? Math.expm1(Math.min(...shifts)) : null;
}

/**
 * @param {MeasureId} measure
 * @param {Estimate} relative
 * @param {number} smallest
 * @returns {Decision['call']}
 */
function callOf(measure, { low, high }, smallest) {
  if (low === null || high === null) return 'undecided';
  if (low > -smallest && high < smallest) return 'none';
  if (low <= 0 && high >= 0) return 'undecided';
  return low > 0 === (measureOf(measure).better === 'higher') ? 'better' : 'worse';
}

/**
 * The strategy of pairs: measures further ones until each figure is decided, or one is and no other contradicts it.
 * @param {Decision[]} decisions so far
 * @param {{pairs: number, excludedInRow: number, wanted?: number | null, isComplete?: boolean}} measured `wanted`: so many,
 *   decided or not; `isComplete`: each figure is asked for
 * @param {() => number} [random]
 * @returns {{order: ('a' | 'b')[]} | {end: TryReport['end']}}
 */
export function nextPair(
  decisions,
  { pairs, excludedInRow, wanted = null, isComplete = false },
  random = Math.random,
) {
  if (wanted === null ? isDecided(decisions) : pairs >= wanted) return { end: 'decided' };
  if (wanted === null && !isComplete && isClear(decisions)) return { end: 'clear' };
  if (excludedInRow >= MOST_EXCLUDED) return { end: 'invalid' };
  return pairs < MOST_PAIRS ? { order: drawOrder(random) } : { end: 'limit' };
}

/** A step of a bisection is wrong in at most 1 of 20 cases. */
const MOST_ODDS = Math.log((1 - ALPHA) / ALPHA);
/** The variation of earlier steps may be wrong by this factor. Twice of it takes more pairs, and is hardly more often right. */
const STEP_WRONG_BY = 1.5;

/**
 * Whether pairs have a known change or none: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of
 * Mathematical Statistics 16 (1945). Two simple hypotheses need fewer pairs than the question whether anything changed.
 * @param {Pair[]} pairs
 * @param {{shift: number, spread?: number | null}} known `shift`: ln(b ÷ a) of the change; `spread` of the two runs of a pair
 * @returns {boolean | null} null: not clear yet
 */
export function hasShift(pairs, { shift, spread }) {
  const ratios = pairs.flatMap(({ a, b }) => (a && b && a > 0 && b > 0 ? Math.log(b / a) : []));
  if (ratios.length < LOOKS[0].pairs) return null;
  const error = STEP_WRONG_BY * Math.SQRT2 * Math.max(LEAST_SPREAD, spread ?? UNKNOWN_SPREAD);
  const odds = (ratios.length * shift * (mean(ratios) - shift / 2)) / error ** 2;
  return Math.abs(odds) < MOST_ODDS ? null : odds > 0;
}

/** @param {Decision[]} decisions */
export const isDecided = decisions => decisions.every(({ call }) => call !== 'undecided');

/**
 * On a machine shared with other work, throughput is decided late. Further pairs do not help a user who knows that one
 * figure is better, and that no other one is as much worse.
 * @param {Decision[]} decisions
 */
function isClear(decisions) {
  const first = decisions.find(({ call }) => call === 'better' || call === 'worse');
  const isGood = first?.call === 'better';
  return decisions.every(({ measure, call, relative }) => {
    if (!first || call !== 'undecided') return call === first?.call;
    const { value, low, high } = relative;
    const isUp = isGood === (measureOf(measure).better === 'higher');
    const opposite = 1 / (1 + value) - 1;
    return isUp ? (low ?? -1) > Math.min(0, opposite) : (high ?? 1) < Math.max(0, opposite);
  });
}

/**
 * Which side comes first in a pair, at random: then Wilcoxon's test holds whatever else the machine does and whenever
 * (R. Fisher, The Design of Experiments, 1935). In a fixed order, load that comes and goes looks like a difference.
 * @param {() => number} random
 * @returns {('a' | 'b')[]}
 */
export const drawOrder = random => (random() < 0.5 ? ['a', 'b'] : ['b', 'a']);
