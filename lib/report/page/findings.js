import { emptyState, h, prose, section, severityTag } from './dom.js';

/** @import { Finding, Report } from '../../analysis/report.d.ts' */

const PLACES = {
  summary: 'the summary',
  load: 'the load',
  errors: 'the errors',
  'hot-paths': 'where the CPU time goes',
  flamegraph: 'the flamegraph',
  quality: 'the quality of the measurement',
};

/** What is worth a reader's attention, with its evidence. @param {Report} report */
export function renderFindings({ findings }) {
  if (findings.length === 0) {
    return section('findings', 'Findings', emptyState('Nothing stood out in what was measured.'));
  }
  return section(
    'findings',
    'Findings',
    h('ol', { class: 'findings' }, findings.map(renderFinding)),
  );
}

/** @param {Finding} finding */
function renderFinding({ severity, title, detail, evidence, advice, link }) {
  const place = link && PLACES[/** @type {keyof typeof PLACES} */ (link)];
  return h(
    'li',
    { class: `finding finding-${severity}` },
    h('h3', {}, severityTag(severity), prose(title)),
    detail && h('p', {}, prose(detail)),
    evidence.length > 0 &&
      h(
        'dl',
        { class: 'evidence' },
        evidence.map(({ label, value }) => h('div', {}, h('dt', {}, label), h('dd', {}, value))),
      ),
    advice && h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), prose(advice)),
    place && h('p', { class: 'see' }, h('a', { href: `#${link}` }, `See ${place}`)),
  );
}
