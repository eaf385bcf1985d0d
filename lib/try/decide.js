/** From the pairs of runs so far to a decision for each figure. Pure: simulations call it, too. */
import { measureOf } from '../facts/measures.js';
import { hodgesLehmannShift } from '../math/rank-tests.js';
import { median } from '../math/summary.js';
import { signedRankShift } from './signed-rank.js';

/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { MeasureId } from '../facts/compare-report.d.ts' */
/** @import { Decision } from '../facts/try.d.ts' */

/** Of all decisions of a try together, over all looks. */
export const ALPHA = 0.05;

/**
 * When each figure is tested, and with which share of its error rate. A share is spent whatever comes out, so that a
 * measurement may stop at any look, or continue later (alpha spending: K. Lan, D. DeMets, Biometrika 70, 1983; here the
 * shares add up, as if looks were independent). The first look compares runs of both sides (Mann and Whitney), which a
 * large change passes after 5 pairs; later ones compare the runs of each pair, which leaves out what changes slowly.
 * A test of means by Student's t would decide earlier. But other work that comes and goes gives differences of two sizes,
 * and of four such differences one time in eight has nearly the same value four times: then t has no bound.
 */
export const LOOKS = [
  { pairs: 5, share: 0.32, isPaired: false },
  { pairs: 11, share: 0.22, isPaired: true },
  { pairs: 17, share: 0.34, isPaired: true },
  { pairs: 29, share: 0.08, isPaired: true },
  { pairs: 55, share: 0.04, isPaired: true },
];

/** After the last look no pair changes anything. */
export const MOST_PAIRS = LOOKS.at(-1)?.pairs ?? 0;

/** One figure of both runs of a pair; null: not known. @typedef {{a: number | null, b: number | null}} Pair */

/**
 * The decision of the last look: pairs that follow it wait for the next one.
 * @param {MeasureId} measure
 * @param {Pair[]} pairs in the order in which they were measured; those that lack a value are left out
 * @param {{measures: number, smallest: number}} options `measures`: how many figures share alpha; `smallest`: relative
 *   difference from which on one matters
 * @returns {Decision}
 */
export function decide(measure, pairs, { measures, smallest }) {
  const known = pairs.flatMap(({ a, b }) => (a && b && a > 0 && b > 0 ? [{ a, b }] : []));
  const look = LOOKS.findLast(one => one.pairs <= known.length);
  const used = look ? known.slice(0, look.pairs) : known;
  const [before, after] = [used.map(({ a }) => Math.log(a)), used.map(({ b }) => Math.log(b))];
  const ratios = after.map((log, at) => log - (before[at] ?? 0));
  const alpha = ((look?.share ?? 0) * ALPHA) / measures;
  const shift = look?.isPaired
    ? signedRankShift(ratios, alpha)
    : look
      ? hodgesLehmannShift(before, after, alpha)
      : { value: ratios.length > 0 ? median(ratios) : 0, low: null, high: null };
  const toRatio = (/** @type {number | null} */ log) => (log === null ? null : Math.expm1(log));
  const relative = {
    value: Math.expm1(shift.value),
    low: toRatio(shift.low),
    high: toRatio(shift.high),
  };
  return { measure, pairs: used.length, relative, call: callOf(measure, relative, smallest) };
}

/** @param {MeasureId} measure @param {Estimate} relative @param {number} smallest @returns {Decision['call']} */
function callOf(measure, { low, high }, smallest) {
  if (low === null || high === null) return 'undecided';
  if (low > -smallest && high < smallest) return 'none';
  if (low <= 0 && high >= 0) return 'undecided';
  return low > 0 === (measureOf(measure).better === 'higher') ? 'better' : 'worse';
}

/** @param {Decision[]} decisions */
export function isDecided(decisions) {
  return decisions.every(({ call }) => call !== 'undecided');
}

/**
 * Which side comes first in a pair: A B, B A, B A, A B, … (the sequence of Thue and Morse). What drifts, or comes and
 * goes in a rhythm, meets both sides alike.
 * @param {number} pair from 0
 * @returns {('a' | 'b')[]}
 */
export function orderOf(pair) {
  let isBFirst = false;
  for (let rest = pair; rest > 0; rest >>= 1) if (rest & 1) isBFirst = !isBFirst;
  return isBFirst ? ['b', 'a'] : ['a', 'b'];
}
