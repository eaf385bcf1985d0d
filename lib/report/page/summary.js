import { formatDuration, formatMoment } from '../../format.js';
import { h } from './dom.js';
import { renderFigures } from './figures.js';
import { renderAside, renderBanner, renderTop, renderVerdict } from './overview.js';

/** @import { Section } from '../../text/document/document.d.ts' */
/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */

/** @type {[string, string][]} */
const SECTIONS = [
  ['timeline', 'Timeline'],
  ['endpoints', 'Endpoints'],
  ['hot-paths', 'CPU time'],
  ['flamegraph', 'Flamegraph'],
  ['task-workers', 'Task workers'],
  ['bottleneck', 'Bottleneck'],
  ['balance', 'Balance'],
  ['cluster', 'Pods'],
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
const LEVELS = {
  good: 'Good',
  warn: 'Warning',
  bad: 'Problem',
  invalid: 'Invalid measurement',
  unknown: 'Not enough data',
};

/** The bar at the top. @param {Report} report @param {string[]} ids of the sections that are there */
export function renderHeader({ run }, ids) {
  const { id, target, targets, kind, startedAtMs, endedAtMs } = run;
  const lasted = startedAtMs !== null && endedAtMs !== null && endedAtMs - startedAtMs;
  const facts = [
    target && h('span', { class: 'target' }, targets?.what ?? target),
    KINDS[kind],
    startedAtMs !== null && formatMoment(startedAtMs),
    lasted !== false && formatDuration(lasted),
  ];
  return renderTop(h('span', { class: 'run-id' }, id), facts, SECTIONS, ids);
}

/** The result, before anything else: verdict, findings, key figures. @param {Report} report @param {Section[]} content */
export function renderSummary(report, content) {
  const { verdict, run } = report;
  const { level, text } = verdict;
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, findings and key figures' },
    run.status === 'partial' &&
      renderBanner(
        'Partial run.',
        'Something ended early; the numbers cover what was measured until then.',
        run.reasons.map(({ text: reason }) => reason),
      ),
    h(
      'div',
      { class: 'answers' },
      renderVerdict({ level, word: LEVELS[level], ...text }),
      renderAside(content.find(({ id }) => id === 'findings')),
    ),
    renderFigures(report),
  );
}

/** In the order of the page; findings stand in its summary. @param {Section[]} sections */
export function orderSections(sections) {
  return SECTIONS.flatMap(([id]) => sections.filter(own => own.id === id));
}
