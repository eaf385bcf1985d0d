import {
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
  formatMsInterval,
  formatPercent,
  formatRate,
} from '../../format.js';
import { h, prose, section } from './dom.js';

/** @import { Report } from '../../analysis/report.d.ts' */

const SECTIONS = [
  ['summary', 'Summary'],
  ['findings', 'Findings'],
  ['load', 'Load'],
  ['errors', 'Errors'],
  ['hot-paths', 'CPU time'],
  ['flamegraph', 'Flamegraph'],
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
  good: 'All right',
  warn: 'Look at this',
  bad: 'Problem',
  invalid: 'Not valid',
  unknown: 'Not enough data',
};

/** The bar at the top: name and ways to the sections. @param {string[]} ids of the sections that are there */
export function renderNavigation(ids) {
  const links = SECTIONS.filter(([id = '']) => ids.includes(id)).map(([id, label]) =>
    h('a', { href: `#${id}` }, label),
  );
  return h(
    'nav',
    { class: 'top', 'aria-label': 'Sections' },
    h('span', { class: 'brand' }, 'loadflame'),
    h('div', { class: 'links' }, links),
  );
}

/** What was measured, and whether it is whole. @param {Report} report */
export function renderHeader({ run }) {
  const lengthMs =
    run.startedAtMs !== null && run.endedAtMs !== null ? run.endedAtMs - run.startedAtMs : null;
  const facts = [
    KINDS[run.kind],
    run.script?.name,
    run.startedAtMs !== null && formatMoment(run.startedAtMs),
    lengthMs !== null && formatDuration(lengthMs),
  ];
  return h(
    'header',
    { class: 'run' },
    h('h1', {}, run.id),
    run.target && h('p', { class: 'target' }, run.target),
    h(
      'ul',
      { class: 'facts' },
      facts.filter(Boolean).map(fact => h('li', {}, String(fact))),
    ),
    run.status === 'partial' &&
      h(
        'div',
        { class: 'banner', role: 'note' },
        h(
          'p',
          {},
          h('strong', {}, 'Partial run.'),
          ' Something ended early; the numbers cover what was measured until then.',
        ),
        h(
          'ul',
          {},
          run.reasons.map(reason => h('li', {}, reason)),
        ),
      ),
  );
}

/** The answer, before anything else. @param {Report} report */
export function renderSummary(report) {
  const { verdict } = report;
  const block = section(
    'summary',
    'Verdict',
    h(
      'div',
      { class: `verdict verdict-${verdict.level}` },
      h('p', { class: 'level' }, LEVELS[verdict.level]),
      h('p', { class: 'headline' }, prose(verdict.headline)),
      verdict.sentences.map(sentence => h('p', { class: 'sentence' }, prose(sentence))),
    ),
  );
  const figures = keyFigures(report);
  if (figures.length > 0) block.append(h('dl', { class: 'figures' }, figures.map(renderFigure)));
  return block;
}

/** @typedef {{label: string, value: string, note: string}} Figure */

/** @param {Figure} figure */
function renderFigure({ label, value, note }) {
  return h(
    'div',
    {},
    h('dt', {}, label),
    h('dd', {}, h('span', { class: 'value' }, value), h('span', { class: 'note' }, note)),
  );
}

/** @param {Report} report @returns {Figure[]} */
function keyFigures({ load, profile }) {
  /** @type {Figure[]} */
  const figures = [];
  if (load) {
    const { http, window } = load;
    const over = `over ${formatDuration(window.endMs - window.startMs)}`;
    figures.push({ label: 'Requests', value: formatCount(http.requests), note: over });
    figures.push({
      label: 'Throughput',
      value: formatRate(http.throughputPerSec),
      note: 'successful answers',
    });
    const first = http.timeToFirstByte;
    if (first) {
      figures.push({
        label: 'Median',
        value: formatMs(first.p50Ms),
        note: `time to first byte, n\u00a0=\u00a0${formatCount(first.count)}`,
      });
      figures.push({
        label: 'p95',
        value: formatMs(first.p95Ms),
        note: `p99 ${formatMs(first.p99Ms)}`,
      });
    }
    figures.push({
      label: 'Failed',
      value: formatPercent(http.errorRate),
      note: `of ${formatCount(http.requests)} requests`,
    });
  }
  if (profile) {
    const { perRequest, basis } = profile.cpu;
    if (perRequest) {
      const interval = perRequest.low === null ? '' : `95 %: ${formatMsInterval(perRequest)}`;
      const bound = basis === 'samples-upper-bound';
      figures.push({
        label: 'CPU per request',
        value: `${bound ? '≤ ' : ''}${formatMs(perRequest.value)}`,
        note: bound ? 'upper bound, from samples' : interval,
      });
    }
    const { active, waiting } = profile.samples;
    if (!load || !perRequest) {
      figures.push({
        label: 'Active samples',
        value: formatCount(active),
        note: `${formatCount(waiting)} waiting taken out`,
      });
    }
  }
  return figures;
}
