import { formatDuration, formatMoment } from '../../format.js';
import { h } from './dom.js';

/** @import { Report } from '../../analysis/report.d.ts' */

const SECTIONS = [
  ['timeline', 'Over time'],
  ['endpoints', 'Endpoints'],
  ['hot-paths', 'CPU time'],
  ['flamegraph', 'Flamegraph'],
  ['limit', 'Limit'],
  ['balance', 'Balance'],
  ['errors', 'Errors'],
  ['load', 'Load'],
  ['quality', 'Quality'],
  ['run', 'Run'],
];
const KINDS = {
  load: 'load test',
  profile: 'profile',
  'load+profile': 'load test and profile',
  import: 'imported files',
};

/**
 * The bar at the top: what was measured, and ways to the sections.
 * @param {Report} report
 * @param {string[]} ids of the sections that are there
 */
export function renderHeader({ run }, ids) {
  const lengthMs =
    run.startedAtMs !== null && run.endedAtMs !== null ? run.endedAtMs - run.startedAtMs : null;
  const facts = [
    run.target && h('span', { class: 'target' }, run.target),
    KINDS[run.kind],
    run.startedAtMs !== null && formatMoment(run.startedAtMs),
    lengthMs !== null && formatDuration(lengthMs),
  ].filter(Boolean);
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'run' },
      h('a', { class: 'brand', href: '#summary' }, 'loadflame'),
      h('span', { class: 'run-id' }, run.id),
      h(
        'ul',
        { class: 'facts' },
        facts.map(fact => h('li', {}, fact)),
      ),
    ),
    h(
      'nav',
      { 'aria-label': 'Sections' },
      SECTIONS.filter(([id = '']) => ids.includes(id)).map(([id, label]) =>
        h('a', { href: `#${id}` }, label),
      ),
    ),
  );
}
