/** Decides each figure from the pairs of runs so far. Pure, so that simulations can call it. */
import { measureOf } from '../facts/measures.js';
import { mapEstimate } from '../math/intervals.js';
import { hodgesLehmannShift } from '../math/rank-tests.js';
import { median } from '../math/summary.js';
import { signedRankShift } from './signed-rank.js';

/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { MeasureId } from '../facts/compare-report.d.ts' */
/** @import { Decision } from '../facts/try.d.ts' */

/** Error rate of a try: of all its decisions together, over all looks. */
export const ALPHA = 0.05;

/**
 * When each figure is tested, and which share of its error rate the test spends. Shares are fixed in advance, so a
 * measurement may stop at any look, or continue later (alpha spending: K. Lan, D. DeMets, Biometrika 70, 1983; here the
 * shares simply add up). The first look compares the runs of both sides (Mann and Whitney), and shows a large change
 * after 5 pairs. Later looks compare the runs of each pair, which cancels slow drift.
 * Student's t would decide earlier. But background load that comes and goes gives differences of two sizes. One time in
 * eight, four such differences are nearly equal, and then t has no bound.
 */
export const LOOKS = [
  { pairs: 5, share: 0.32, isPaired: false },
  { pairs: 11, share: 0.22, isPaired: true },
  { pairs: 17, share: 0.34, isPaired: true },
  { pairs: 29, share: 0.08, isPaired: true },
  { pairs: 55, share: 0.04, isPaired: true },
];

/** Pairs after the last interim analysis change nothing. */
export const MOST_PAIRS = LOOKS.at(-1)?.pairs ?? 0;

/** One figure of both runs of a pair; null: not known. @typedef {{a: number | null, b: number | null}} Pair */

/**
 * The decision of the last interim analysis that was reached; later pairs count from the next one on.
 * @param {MeasureId} measure
 * @param {Pair[]} pairs in the order of measurement; pairs without a value are left out
 * @param {{measures: number, smallest: number}} options `measures`: how many figures share alpha; `smallest`: the
 *   smallest relative difference that matters
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
  const relative = mapEstimate(shift, Math.expm1);
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
 * Which side comes first in a pair: A B, B A, B A, A B, … (the sequence of Thue and Morse). Drift and
 * periodic load affect both sides equally.
 * @param {number} pair from 0
 * @returns {('a' | 'b')[]}
 */
export function orderOf(pair) {
  let isBFirst = false;
  for (let rest = pair; rest > 0; rest >>= 1) if (rest & 1) isBFirst = !isBFirst;
  return isBFirst ? ['b', 'a'] : ['a', 'b'];
}
