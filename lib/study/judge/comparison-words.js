/** What a comparison of two variants says, with what it rests on. */
import {
  formatChange,
  formatChangeInterval,
  formatCount,
  formatMs,
  formatRate,
} from '../../format.js';
import { ALPHA, LEAST_REPEATS } from './estimate.js';
import { describeStep } from './words.js';

/** @import { VariantComparison } from '../study-report.d.ts' */

/**
 * @param {Omit<VariantComparison, 'text'>} comparison
 * @param {object} about
 * @param {[number, number]} about.runs of each side
 * @param {number} about.pairs that the study compares
 * @param {string} about.what `cache redis instead of off (2 workers)`
 * @param {'closed' | 'open'} about.model
 * @param {string | null} about.unserved
 */
export function describeComparison(comparison, { runs, pairs, what, model, unserved }) {
  const { measure, label, step, beforeValue, afterValue, relative, call, p } = comparison;
  const at = step === null ? '' : ` at ${describeStep(step, model)}`;
  const values = `${formatMeasure(beforeValue, measure)} → ${formatMeasure(afterValue, measure)}`;
  const remarks = [
    relative && relative.low !== null ? formatChangeInterval(relative) : null,
    unserved,
    describeBasis(comparison.intervalOf, Math.min(...runs), { call, p, pairs }),
  ].filter(remark => remark !== null);
  const change = relative ? `, ${formatChange(relative.value)}` : '';
  const remark = remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
  return `${what}: ${label}${at} ${values}${change}${remark}`;
}

/**
 * What an interval does not say, and why nothing is called.
 * @param {VariantComparison['intervalOf']} intervalOf @param {number} runs
 * @param {{call: VariantComparison['call'], p: number | null, pairs: number}} test
 */
function describeBasis(intervalOf, runs, { call, p, pairs }) {
  if (runs === 1)
    return intervalOf === 'within-run'
      ? 'within one run a side: how runs differ is not in it'
      : 'one run a side, without an interval';
  if (runs < LEAST_REPEATS) return 'two runs a side are too few to call a difference';
  if (call !== 'none') return null;
  if (p !== null && p <= ALPHA)
    return `not called: among ${formatCount(pairs)} comparisons chance alone gives such a one now and then`;
  return 'no more than what runs differ by chance';
}

/** @param {number | null} value @param {VariantComparison['measure']} measure */
function formatMeasure(value, measure) {
  if (measure === 'p95Ms' || measure === 'cpuMsPerTransaction') return formatMs(value);
  // the label says what it is per second
  return formatRate(value).replace(/\/s$/, '');
}

/**
 * "cache redis instead of off (workers 2)"
 * @param {string} factor
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 */
export function describePair(factor, before, after) {
  const others = Object.entries(after).filter(([name]) => name !== factor);
  const same = others.map(([name, label]) => `${name} ${label}`).join(', ');
  return `${factor} ${after[factor]} instead of ${before[factor]}${same ? ` (${same})` : ''}`;
}
