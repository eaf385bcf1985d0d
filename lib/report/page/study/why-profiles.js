import { formatMs, formatShare } from '../../../format.js';
import { formatStep } from '../../study/study-words.js';
import { h, prose, safeColor, section, swatch } from '../dom.js';
import { reportLink } from './report-link.js';
import { variantKey } from './variant-picks.js';

/** @import { StudyReport, VariantReport } from '../../../study/study-report.d.ts' */

/** Where CPU time goes at the plateau. @param {StudyReport} report */
export function renderWhy(report) {
  const known = report.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.why);
  if (known.length === 0) return null;
  return section(
    'why',
    'Why: what the profile shows at the plateau',
    h(
      'p',
      { class: 'lede' },
      'Shares of the workers’ CPU, from one more cell with py-spy; that cell is not part of the figures above.',
    ),
    known.map(({ variant, index }) => renderProfile(variant, index, report)),
  );
}

/** @param {VariantReport} variant @param {number} index @param {StudyReport} report */
function renderProfile({ why, label }, index, report) {
  if (!why) return null;
  return h(
    'div',
    { class: 'why' },
    h(
      'h3',
      {},
      variantKey(index),
      label,
      h(
        'a',
        { class: 'why-link', href: reportLink(why.folder) },
        `report at ${formatStep(why.step, report)}`,
      ),
    ),
    h(
      'div',
      { class: 'stack', 'aria-hidden': 'true' },
      why.categories.map(category => {
        const part = h('span', { title: category.label }, h('span', {}, category.label));
        part.style.backgroundColor = safeColor(category.color);
        part.style.flexGrow = String(Math.max(0.001, category.share.value));
        return part;
      }),
    ),
    h(
      'ul',
      { class: 'layer-legend' },
      why.categories.map(category =>
        h(
          'li',
          {},
          swatch(category.color),
          `${category.label} `,
          h('strong', {}, formatShare(category.share)),
          category.cpuMs !== null && `, ${formatMs(category.cpuMs)} each`,
        ),
      ),
    ),
    h(
      'ul',
      { class: 'told' },
      why.sentences.map(sentence => h('li', {}, prose(sentence))),
    ),
  );
}
