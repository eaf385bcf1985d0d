import { h, prose, severityTag } from './dom.js';

/** @import { Finding } from '../../analysis/report.d.ts' */

const PLACES = {
  summary: 'the summary',
  timeline: 'the timeline',
  load: 'the load',
  endpoints: 'the endpoints',
  errors: 'the errors',
  'hot-paths': 'where the CPU time goes',
  flamegraph: 'the flamegraph',
  limit: 'what limits the throughput',
  balance: 'how the traffic spread',
  quality: 'the quality of the measurement',
  limits: 'what limits each variant',
  fairness: 'how evenly it spread',
  cells: 'the table of cells',
};

/** Findings that are told without being asked for. */
const FIRST = 4;

/**
 * What is worth a reader's attention, the worst first; each opens to its evidence.
 * @param {{findings: Finding[]}} report
 */
export function renderFindings({ findings }) {
  const [first, others] = [findings.slice(0, FIRST), findings.slice(FIRST)];
  return h(
    'div',
    { id: 'findings', class: 'findings-block' },
    h(
      'h2',
      { id: 'findings-title' },
      findings.length === 0 ? 'Findings' : `Findings (${findings.length})`,
    ),
    findings.length === 0 && h('p', { class: 'muted' }, 'Nothing stood out in what was measured.'),
    first.length > 0 && listFindings(first),
    others.length > 0 &&
      h(
        'details',
        { class: 'more' },
        h('summary', {}, `${others.length} more`),
        listFindings(others),
      ),
  );
}

/** @param {Finding[]} findings */
function listFindings(findings) {
  return h(
    'ul',
    { class: 'findings' },
    findings.map(finding => h('li', {}, renderFinding(finding))),
  );
}

/** @param {Finding} finding */
function renderFinding({ severity, title, detail, evidence, advice, link, gain }) {
  const place = link && PLACES[/** @type {keyof typeof PLACES} */ (link)];
  return h(
    'details',
    { class: `finding finding-${severity}` },
    h('summary', {}, severityTag(severity), h('span', { class: 'finding-title' }, prose(title))),
    h(
      'div',
      { class: 'finding-body' },
      detail && h('p', {}, prose(detail)),
      evidence.length > 0 &&
        h(
          'dl',
          { class: 'evidence' },
          evidence.map(({ label, value }) => h('div', {}, h('dt', {}, label), h('dd', {}, value))),
        ),
      gain && h('p', { class: 'gain' }, h('strong', {}, 'What it would buy: '), prose(gain)),
      advice && h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), prose(advice)),
      place && h('p', { class: 'see' }, h('a', { href: `#${link}` }, `See ${place}`)),
    ),
  );
}
