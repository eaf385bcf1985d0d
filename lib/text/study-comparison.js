/** What a factor changes, and what more of one thing brings. */
import {
  formatChange,
  formatChangeInterval,
  formatCount,
  formatMs,
  formatRate,
} from '../format.js';
import { nameBottleneck } from './bottleneck.js';
import {
  capitalize,
  describeStep,
  formatChosenShare,
  joinWords,
  rateWithoutUnit,
} from './words.js';

/** Repeats from which on a difference can be significant. */
const LEAST_RUNS = 3;
const ALPHA = 0.05;

/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { Scaling, SerialCeiling, StudyReport, VariantComparison } from '../facts/study-report.d.ts' */

/** @typedef {Pick<VariantComparison, 'factor' | 'beforeLevel' | 'afterLevel' | 'same'>} Pair */
/** @typedef {{throughputLabel: string, cpuOf: StudyReport['cpuOf']}} Labels */

/** "cache redis instead of off (workers 2)" @param {Pair} pair */
export function describePair({ factor, beforeLevel, afterLevel, same }) {
  const others = Object.entries(same).map(([name, level]) => `${name} ${level}`);
  const rest = others.length > 0 ? ` (${others.join(', ')})` : '';
  return `${factor} ${afterLevel} instead of ${beforeLevel}${rest}`;
}

/**
 * "requests/s at 20 users", "requests/s at the plateau (16–64 users)": the plateau of a variant may have
 * more steps than were compared.
 * @param {Labels & Pick<VariantComparison, 'measure' | 'step' | 'steps'> & {model: StudyReport['load']['model']}} facts
 */
export function nameMeasure({ measure, throughputLabel, cpuOf, step, steps, model }) {
  const name = {
    throughputPerSec: throughputLabel,
    perBusyCore: `${throughputLabel} per core that the ${cpuOf} used`,
    cpuMsPerTransaction: `CPU-ms of the ${cpuOf} per transaction`,
    p95Ms: model === 'spike' ? 'p95 of the others' : 'p95',
  }[measure];
  if (step !== null) return `${name} at ${describeStep(step, model)}`;
  const [before, after] = steps.map(([first = 0, ...others]) => {
    const last = describeStep(others.at(-1) ?? first, model);
    return others.length > 0 ? `${rateWithoutUnit(first)}–${last}` : last;
  });
  const where = before === after ? before : `${before} before, ${after} after`;
  return `${name} at the plateau (${where})`;
}

/**
 * "cache redis instead of off (workers 2): requests/s at 8 users 553 → 865, +53.9 % (+45.7 … +62.5 %)"
 * @param {VariantComparison} comparison @param {Labels & {model: StudyReport['load']['model']}} study
 */
export function describeVariantComparison(comparison, study) {
  const { measure, beforeValue, afterValue, relative } = comparison;
  const format =
    measure === 'p95Ms' || measure === 'cpuMsPerTransaction' ? formatMs : rateWithoutUnit;
  const remarks = [
    relative && relative.low !== null ? formatChangeInterval(relative) : null,
    describeUnserved(comparison),
    describeBasis(comparison),
  ].filter(remark => remark !== null);
  const change = relative ? `, ${formatChange(relative.value)}` : '';
  const remark = remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
  return `${describePair(comparison)}: ${nameMeasure({ ...comparison, ...study })} ${format(beforeValue)} → ${format(afterValue)}${change}${remark}`;
}

/** @param {VariantComparison} comparison */
function describeUnserved({ unserved }) {
  if (!unserved) return null;
  return `of those who were served: ${unserved.users} of ${unserved.of} users completed nothing`;
}

/**
 * Why no difference can be significant; null where there are runs enough to test it.
 * @param {Pick<VariantComparison, 'runs'>} comparison
 */
export function describeTooFewRuns({ runs }) {
  const least = Math.min(...runs);
  if (least >= LEAST_RUNS) return null;
  return `not tested: ${least === 1 ? 'one run' : 'two runs'} a side`;
}

/** What an interval does not say, and why nothing is significant. @param {VariantComparison} comparison */
function describeBasis({ intervalOf, runs, call, p, pairs }) {
  const least = Math.min(...runs);
  if (least === 1)
    return intervalOf === 'within-run'
      ? 'within one run a side: how runs differ is not in it'
      : 'one run a side, without an interval';
  if (least < LEAST_RUNS) return 'two runs a side are too few for a significant difference';
  if (call !== 'none') return null;
  return p !== null && p <= ALPHA
    ? `not significant: among ${formatCount(pairs)} comparisons chance alone gives such a one now and then`
    : 'no more than runs differ by chance';
}

/**
 * "1 → 2 workers +54 % (+45 … +64 %), 2 → 4 +2 % (−3 … +8 %): more than 2 bring less than 5 % per
 * doubling. With 2 the bottleneck is the CPU of the machine."
 * @param {Scaling} scaling
 */
export function describeScaling({ points, over, worthUpTo, leastGain, serialCeiling }) {
  const [first] = points;
  if (!first) return `Nothing was measured over ${over}.`;
  if (points.length < 2) return `One number of ${over} says nothing about scaling.`;
  const gains = points.flatMap(({ value, gain }, index) => {
    const before = points[index - 1];
    if (!gain || !before) return [];
    const interval = gain.low === null ? '' : ` (${formatChangeInterval(gain)})`;
    return `${formatCount(before.value)} → ${formatCount(value)}${index === 1 ? ` ${over}` : ''} ${formatChange(gain.value)}${interval}`;
  });
  const end = points.find(({ value }) => value === worthUpTo) ?? points.at(-1) ?? first;
  const count = formatCount(end.value);
  const name = nameBottleneck(end.bottleneck);
  const why = name ? ` With ${count} the bottleneck is ${name}.` : '';
  const rest = `${why}${serialCeiling ? ` ${describeCeiling(serialCeiling, over)}` : ''}`;
  return worthUpTo === null
    ? `${capitalize(gains.join(', '))}; more than ${count} were not measured.${rest}`
    : `${capitalize(gains.join(', '))}: more than ${count} bring less than ${formatChosenShare(leastGain)} per doubling.${rest}`;
}

/** @param {SerialCeiling} ceiling @param {string} over */
function describeCeiling({ stage, perSec, eachMs, sizes }, over) {
  const interval = (
    /** @type {Estimate} */ { low, high },
    /** @type {(value: number) => string} */ format,
  ) => (low === null || high === null ? '' : ` (${format(low)} … ${format(high)})`);
  const sizesText = joinWords(sizes.map(size => formatCount(size)));
  return `The stage ${stage} is serial: it lets ${formatRate(perSec.value)}${interval(perSec, formatRate)} through with ${sizesText} ${over} alike, and each takes ${formatMs(eachMs.value)}${interval(eachMs, formatMs)} of it. No number of ${over} lifts that ceiling.`;
}
