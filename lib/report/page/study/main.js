import { formatDuration, formatMoment, formatNumberOf } from '../../../base/format.js';
import { printSection } from '../../print/html.js';
import { h, markReady, mountPage, readData, renderShares } from '../dom.js';
import { renderBanner, renderSummary, renderTop } from '../overview.js';
import { makeLoadCharts } from './charts.js';
import { makeVariantPicks } from './variants.js';

/** @import { Section } from '../../../text/document/document.d.ts' */
/** @import { StudyReport } from '../../../text/study-report.d.ts' */

const LEVEL_WORDS = {
  good: 'Result',
  warn: 'Result, with caveats',
  bad: 'Not enough capacity',
  invalid: 'Invalid measurement',
  unknown: 'No result',
};

/** @type {StudyReport} */
const report = readData('study');
/** @type {Section[]} */
const content = readData('content');
const picks = makeVariantPicks(report);
const drawings = {
  'variant-picks': () => picks.element,
  'load-charts': () => makeLoadCharts(report, picks),
  shares: renderShares,
};
document.title = `${report.study.title} – loadflame`;
const sections = content.filter(({ id }) => id !== 'findings');
const printed = sections.map(own => printSection(own, drawings));
mountPage([renderStudySummary(report), ...printed], ids => renderHeader(report, ids));

await markReady();

/** The bar at the top. @param {StudyReport} report @param {string[]} ids of the page's sections */
function renderHeader({ study, variants, cells }, ids) {
  const { name, startedAtMs, endedAtMs } = study;
  const facts = [
    formatNumberOf(variants.length, 'variant'),
    formatNumberOf(cells.length, 'cell'),
    formatMoment(startedAtMs),
    endedAtMs !== null && formatDuration(endedAtMs - startedAtMs),
  ];
  return renderTop(h('span', {}, 'Study ', h('span', { class: 'run-id' }, name)), facts, ids);
}

/** The result, before anything else. @param {StudyReport} report */
function renderStudySummary({ study, verdict }) {
  const { level, headline, lines } = verdict;
  const reasons = study.reasons.map(({ text }) => text);
  return renderSummary({
    about: 'Verdict and findings',
    lead: [
      h('p', { class: 'question' }, study.question ?? study.title),
      study.status === 'partial' &&
        renderBanner('Partial study.', 'The figures cover what was measured.', reasons),
    ],
    verdict: {
      level,
      word: LEVEL_WORDS[level],
      headline: headline.text,
      sentences: lines.map(({ text }) => text),
    },
    aside: content.find(({ id }) => id === 'findings'),
  });
}
