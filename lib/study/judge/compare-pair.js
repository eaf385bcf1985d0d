/** Two variants that differ in one factor: their figures beside each other, before anything is called. */
import { compareValues } from '../../compare/compare-values.js';
import {
  findCommonStep,
  findSharedSteps,
  findSide,
  findUnserved,
  perRepeat,
} from './compared-sides.js';
import { findGate, studentP } from './comparison-tests.js';
import { ALPHA } from './estimate.js';

/** @import { VariantComparison } from '../study-report.d.ts' */
/** @import { CellMeasure } from './cell-values.js' */
/** @import { Cell } from './collect-cells.js' */

/** @typedef {Pick<import('./judge-variant.js').MeasuredVariant, 'id' | 'label' | 'factors' | 'points' | 'saturation'>} ComparedVariant */

/**
 * @typedef {Omit<VariantComparison, 'call' | 'text'> & {
 *   gate: number | null,
 *   runs: [number, number],
 *   unserved: string | null,
 * }} Compared `gate`: p-value of the two being the same in all of it
 */

/** @type {CellMeasure[]} */
const MEASURES = ['throughputPerSec', 'perBusyCore', 'cpuMsPerTransaction', 'p95Ms'];

/**
 * @param {{factor: string, before: ComparedVariant, after: ComparedVariant}} pair
 * @param {{measuredOf: (variant: string) => Cell[], api: string[], throughputLabel: string, model: 'closed' | 'open'}} study
 * @returns {Compared[]}
 */
export function comparePair(
  { factor, before, after },
  { measuredOf, api, throughputLabel, model },
) {
  const a = findSide(before, measuredOf(before.id));
  const b = findSide(after, measuredOf(after.id));
  if (!a || !b) return [];
  const common = findCommonStep(a, b);
  // where neither is at its end, the figures at their ends are not known
  const isRising = [a, b].every(({ saturation }) => saturation.state !== 'reached');
  const compared = MEASURES.flatMap(id => {
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
