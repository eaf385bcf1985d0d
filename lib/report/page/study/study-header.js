import { formatDuration, formatMoment, formatNumberOf } from '../../../format.js';
import { h } from '../dom.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

/** The order in which sections stand, with their names in the bar. */
const SECTIONS_OF_STUDY = [
  ['capacity', 'Capacity'],
  ['load', 'Load'],
  ['variants', 'Variants'],
  ['scaling', 'Scaling'],
  ['limits', 'Limits'],
  ['resources', 'Resources'],
  ['fairness', 'Fairness'],
  ['backlog', 'Backlog'],
  ['why', 'Why'],
  ['comparisons', 'Comparisons'],
  ['cells', 'Cells'],
  ['measuring', 'Measuring'],
];

/** The bar at the top. @param {StudyReport} report @param {string[]} ids of the sections that are there */
export function renderStudyHeader({ study, variants, cells }, ids) {
  const { startedAtMs, endedAtMs } = study;
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'run' },
      h('span', { class: 'brand' }, 'loadflame'),
      h('span', {}, 'Study ', h('span', { class: 'run-id' }, study.name)),
      h(
        'ul',
        { class: 'facts' },
        h('li', {}, formatNumberOf(variants.length, 'variant')),
        h('li', {}, formatNumberOf(cells.length, 'cell')),
        h('li', {}, formatMoment(startedAtMs)),
        endedAtMs !== null && h('li', {}, formatDuration(endedAtMs - startedAtMs)),
      ),
    ),
    h(
      'nav',
      { 'aria-label': 'Sections' },
      SECTIONS_OF_STUDY.filter(([id = '']) => ids.includes(id)).map(([id, label]) =>
        h('a', { href: `#${id}` }, label),
      ),
    ),
  );
}
