/** From the pairs of runs so far to a decision for each figure. Pure: simulations call it, too. */
import { measureOf } from '../facts/measures.js';
import { findConfidenceSequence } from './confidence-sequence.js';

/** @import { MeasureId } from '../facts/compare-report.d.ts' */
/** @import { Decision } from '../facts/try.d.ts' */

/** Of all decisions of a try together, over all looks, and whatever it is that ends it. */
export const ALPHA = 0.05;
/** A comparison over runs needs as many of each side. */
export const LEAST_PAIRS = 4;

/** One figure of both runs of a pair; null: not known. @typedef {{a: number | null, b: number | null}} Pair */

/**
 * The interval is the part that the intervals of all looks share: what was excluded once stays excluded.
 * @param {MeasureId} measure
 * @param {Pair[]} pairs in the order in which they were measured; those that lack a value are left out
 * @param {{measures: number, smallest: number}} options `measures`: how many figures share alpha; `smallest`: relative
 *   difference from which on one matters
 * @returns {Decision}
 */
export function decide(measure, pairs, { measures, smallest }) {
  const known = pairs.flatMap(({ a, b }) => (a && b && a > 0 && b > 0 ? [{ a, b }] : []));
  const logs = known.map(({ a, b }) => Math.log(b / a));
  const sequence = { value: 0, low: -Infinity, high: Infinity };
  for (let n = 1; n <= logs.length; n++) {
    const own = findConfidenceSequence(logs.slice(0, n), ALPHA / measures);
    sequence.value = own.value;
    sequence.low = Math.max(sequence.low, own.low);
    sequence.high = Math.min(sequence.high, own.high);
  }
  const { value, low, high } = sequence;
  // Only where the values change their nature in the middle of a try; then nothing is known.
  const isEmpty = low > high;
  const isKnown = Number.isFinite(low) && Number.isFinite(high) && !isEmpty;
  return {
    measure,
    pairs: known.length,
    relative: {
      value: Math.expm1(isEmpty ? value : Math.min(high, Math.max(low, value))),
      low: isKnown ? Math.expm1(low) : null,
      high: isKnown ? Math.expm1(high) : null,
    },
    call: isKnown ? callOf(measure, Math.expm1(low), Math.expm1(high), smallest) : 'undecided',
  };
}

/** @param {MeasureId} measure @param {number} low @param {number} high @param {number} smallest @returns {Decision['call']} */
function callOf(measure, low, high, smallest) {
  if (low > -smallest && high < smallest) return 'none';
  if (low <= 0 && high >= 0) return 'undecided';
  return low > 0 === (measureOf(measure).better === 'higher') ? 'better' : 'worse';
}

/** @param {Decision[]} decisions */
export function isDecided(decisions) {
  return decisions.every(({ pairs, call }) => pairs >= LEAST_PAIRS && call !== 'undecided');
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
