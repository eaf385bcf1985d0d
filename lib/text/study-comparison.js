/** The effect of a factor, and of more workers, processes or pods. */
import { formatCount } from '../base/format.js';
import { nameBottleneck } from './bottleneck.js';
import { describeStep, formatChosenShare, rateWithoutUnit } from './words.js';

/** Fewest repeats that can show a significant difference. */
const LEAST_RUNS = 3;

/** @import { Scaling, StudyReport, VariantComparison } from '../run/facts/study-report.d.ts' */

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
 * Why no difference can be significant; null if there are enough runs to test it.
 * @param {Pick<VariantComparison, 'runs'>} comparison
 */
export function describeTooFewRuns({ runs }) {
  const least = Math.min(...runs);
  if (least >= LEAST_RUNS) return null;
  return `not tested: ${least === 1 ? 'one run' : 'two runs'} a side`;
}

/**
 * "More workers than 2 bring less than 5 % per doubling (cache redis). With 2 the bottleneck is the CPU of the machine."
 * @param {Scaling} scaling
 */
export function describeScaling({ label, points, over, worthUpTo, leastGain }) {
  const where = label && ` (${label})`;
  const end = points.find(({ value }) => value === worthUpTo) ?? points.at(-1);
  if (!end || points.length < 2)
    return `Fewer than two numbers of ${over} were measured: that says nothing about scaling${where}.`;
  const count = formatCount(end.value);
  const name = nameBottleneck(end.bottleneck);
  const more =
    worthUpTo === null
      ? 'were not measured'
      : `bring less than ${formatChosenShare(leastGain)} per doubling`;
  return `More ${over} than ${count} ${more}${where}.${name ? ` With ${count} the bottleneck is ${name}.` : ''}`;
}
