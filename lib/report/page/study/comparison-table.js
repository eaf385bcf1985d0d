import {
  describeComparison,
  describeIntervals,
  formatStep,
  labelVariant,
} from '../../study/study-words.js';
import { h, section } from '../dom.js';
import { table } from '../table.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

/** Pairs of variants that differ in one factor. @param {StudyReport} report */
export function renderComparisons(report) {
  const { comparisons } = report;
  if (comparisons.length === 0) return null;
  return section(
    'comparisons',
    'Pairs that differ in one factor',
    h(
      'p',
      { class: 'lede' },
      `“~”: no difference is called, what is seen may be chance. ${describeIntervals(report)}`,
    ),
    table(
      'Pairs of variants that differ in one factor, the biggest difference first',
      [
        { label: 'Before' },
        { label: 'After' },
        { label: 'Measure' },
        { label: 'Was', number: true },
        { label: 'Is', number: true },
        { label: 'Change', number: true },
        { label: '95 % interval', number: true },
        { label: 'p', number: true },
        { label: '' },
      ],
      comparisons.map(comparison => {
        const { before, after, change, interval, p } = describeComparison(comparison);
        const { label, step, call } = comparison;
        const told = call === 'none' ? '' : call;
        return {
          cells: [
            labelVariant(comparison.before, report),
            labelVariant(comparison.after, report),
            step === null ? label : `${label} at ${formatStep(step, report)}`,
            before,
            after,
            h('strong', { class: `call-${call}` }, change),
            interval,
            p,
            told,
          ],
        };
      }),
    ),
  );
}
