import { formatCount, formatMs } from '../../../format.js';
import { formatStep } from '../../study/study-words.js';
import { h, prose, section } from '../dom.js';
import { table } from '../table.js';
import { variantKey } from './variant-picks.js';

/** @import { Fairness, StudyReport } from '../../../study/study-report.d.ts' */

/** How evenly work spread. @param {StudyReport} report */
export function renderFairness(report) {
  const rows = report.variants.flatMap((variant, index) =>
    variant.fairness.map(fairness => ({ variant, index, fairness })),
  );
  if (rows.length === 0) return null;
  return section(
    'fairness',
    'How evenly it spread',
    h(
      'p',
      { class: 'lede' },
      'Jain’s index is 1 where all got the same and 1/n where one of n got everything.',
    ),
    table(
      'Fairness over workers, backends, users and answers',
      [
        { label: 'Variant' },
        { label: 'Of' },
        { label: 'At' },
        ...['Number', 'Min', 'Mean', 'Median', 'Max', 'Jain'].map(label => ({
          label,
          number: true,
        })),
        { label: '' },
      ],
      rows.map(({ variant, index, fairness }) => ({
        cells: [
          [variantKey(index), variant.label],
          fairness.of,
          formatStep(fairness.step, report),
          formatCount(fairness.count),
          ...amountsOf(fairness),
          fairness.jain === null ? '–' : fairness.jain.toFixed(3),
          h('span', { class: 'muted' }, prose(fairness.text)),
        ],
      })),
    ),
  );
}

/** @param {Fairness} fairness */
function amountsOf({ of, min, mean, median, max }) {
  return [min, mean, median, max].map(of === 'latency' ? formatMs : formatCount);
}
