import { formatRate } from '../../../format.js';
import { formatEstimate, labelVariant } from '../../study/study-words.js';
import { emptyState, h, prose, section, severityTag } from '../dom.js';
import { table } from '../table.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

/** For what is needed: which variant, with how much to spare. @param {StudyReport} report */
export function renderCapacity(report) {
  const { capacity } = report;
  if (!capacity) return null;
  if (capacity.state === 'refused') {
    return section(
      'capacity',
      'Capacity',
      emptyState('No figure is given.', ...prose(capacity.text)),
    );
  }
  return section(
    'capacity',
    'Capacity',
    !isSame(capacity.text, report.verdict.headline) &&
      h('p', { class: 'capacity-text' }, prose(capacity.text)),
    capacity.demandText && h('p', { class: 'lede told-first' }, prose(capacity.demandText)),
    capacity.variants.length > 0 &&
      table(
        'What each variant serves within the objective; never extrapolated past what was measured',
        [
          { label: 'Variant' },
          { label: 'Within the objective', number: true, about: 'with half of its 95 % interval' },
          { label: `Usable with ${Math.round(capacity.headroom * 100)} % head-room`, number: true },
          { label: 'Enough' },
          { label: 'Machines needed', number: true },
          { label: '' },
        ],
        capacity.variants.map(
          ({ variant, capacityPerSec, usablePerSec, enough, needed, text }) => ({
            cells: [
              labelVariant(variant, report),
              formatEstimate(capacityPerSec, formatRate),
              h('strong', {}, formatRate(usablePerSec)),
              enough === null ? '–' : severityTag(enough ? 'good' : 'bad', enough ? 'yes' : 'no'),
              needed === null ? '–' : String(needed),
              capacityPerSec === null && h('span', { class: 'muted' }, prose(text)),
            ],
          }),
        ),
      ),
  );
}

/** Two sentences but for their first letter and full stop. @param {string} a @param {string} b */
function isSame(a, b) {
  const bare = (/** @type {string} */ text) => text.toLowerCase().replace(/\.$/, '');
  return bare(a) === bare(b);
}
