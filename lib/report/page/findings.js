import { evidenceList, fold, h, prose, remark, severityTag, shortList } from './dom.js';

/** @import { Severity } from '../../facts/statement.d.ts' */
/** @import { StatementText } from '../../text/text.d.ts' */

/** @typedef {{id: string, severity: Severity, text: StatementText}} Finding */

const PLACES = {
  summary: 'the summary',
  timeline: 'the timeline',
  load: 'the load',
  endpoints: 'the endpoints',
  errors: 'the errors',
  'hot-paths': 'where the CPU time goes',
  flamegraph: 'the flamegraph',
  bottleneck: 'the bottleneck',
  balance: 'how the traffic spread',
  quality: 'the quality of the measurement',
  bottlenecks: 'the bottleneck of each variant',
  fairness: 'fairness',
  cells: 'the table of cells',
};

/** @typedef {Record<string, keyof typeof PLACES | undefined>} Sections */

/** The section that shows more of a finding of a run. @type {Sections} */
const SECTION_OF_RUN_FINDING = {
  'invalid-load': 'errors',
  'token-trouble': 'errors',
  'request-errors': 'errors',
  'error-burst': 'errors',
  'unanswered-emits': 'errors',
  'failed-users': 'errors',
  'idle-scenarios': 'load',
  stall: 'timeline',
  'held-by-hook': 'quality',
  'lost-connections': 'load',
  'dropped-arrivals': 'load',
  'generator-limit': 'quality',
  'full-machine': 'quality',
  'cpu-throttled': 'quality',
  'worker-restarts': 'quality',
  imbalance: 'balance',
  bottleneck: 'bottleneck',
  capacity: 'bottleneck',
  cause: 'hot-paths',
  'hot-path': 'hot-paths',
  'event-loop-blocked': 'endpoints',
  'dev-tools': 'hot-paths',
  'rising-latency': 'timeline',
  spike: 'timeline',
  'memory-growth': 'timeline',
};

/** Findings that are shown without a click. */
const FIRST = 4;

/**
 * What is worth a reader's attention, the worst first; each opens to its evidence.
 * @param {{findings: Finding[]}} report
 * @param {Sections} [sections] that show more, of a page that is none of a run
 */
export function renderFindings({ findings }, sections = SECTION_OF_RUN_FINDING) {
  const shown = findings.map(finding => renderFinding(finding, sections));
  return h(
    'div',
    { id: 'findings', class: 'findings-block' },
    h(
      'h2',
      { id: 'findings-title' },
      findings.length === 0 ? 'Findings' : `Findings (${findings.length})`,
    ),
    findings.length === 0 && remark('Nothing stood out in what was measured.'),
    shortList(shown, FIRST, { class: 'findings' }),
  );
}

/** @param {Finding} finding @param {Sections} sections */
function renderFinding({ id, severity, text }, sections) {
  const { title, detail, evidence, advice, gain } = text;
  const link = sections[id];
  const place = link && PLACES[link];
  return fold(
    [severityTag(severity), h('span', { class: 'finding-title' }, prose(title))],
    { class: `finding finding-${severity}` },
    h(
      'div',
      { class: 'finding-body' },
      detail && h('p', {}, prose(detail)),
      evidenceList(evidence, 'evidence'),
      gain && h('p', { class: 'gain' }, h('strong', {}, 'Gain: '), prose(gain)),
      advice && h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), prose(advice)),
      place && h('p', { class: 'see' }, h('a', { href: `#${link}` }, `See ${place}`)),
    ),
  );
}
