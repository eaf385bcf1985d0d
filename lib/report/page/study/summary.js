import {
  formatDuration,
  formatMoment,
  formatMs,
  formatNumberOf,
  formatRate,
  formatReach,
} from '../../../format.js';
import { findPlateau, formatStep, formatThroughput, nameOfCpu } from '../../../text/study-words.js';
import { h } from '../dom.js';
import {
  renderAside,
  renderBanner,
  renderFigureList,
  renderTop,
  renderVerdict,
} from '../overview.js';

/** @import { Estimate } from '../../../facts/estimate.d.ts' */
/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Section } from '../../../text/document/document.d.ts' */

/** @type {[string, string][]} the order in which sections stand */
const SECTIONS_OF_STUDY = [
  ['capacity', 'Capacity'],
  ['load', 'Load'],
  ['spikes', 'Spikes'],
  ['variants', 'Variants'],
  ['scaling', 'Scaling'],
  ['bottlenecks', 'Bottlenecks'],
  ['resources', 'Resources'],
  ['fairness', 'Fairness'],
  ['backlog', 'Backlog'],
  ['why', 'Profiles'],
  ['comparisons', 'Comparisons'],
  ['cells', 'Cells'],
  ['measuring', 'Method'],
];
const LEVEL_WORDS = {
  good: 'Result',
  warn: 'Result, with caveats',
  bad: 'Not enough capacity',
  invalid: 'Invalid measurement',
  unknown: 'No result',
};

/** The bar at the top. @param {StudyReport} report @param {string[]} ids of the sections that are there */
export function renderStudyHeader({ study, variants, cells }, ids) {
  const { name, startedAtMs, endedAtMs } = study;
  const facts = [
    formatNumberOf(variants.length, 'variant'),
    formatNumberOf(cells.length, 'cell'),
    formatMoment(startedAtMs),
    endedAtMs !== null && formatDuration(endedAtMs - startedAtMs),
  ];
  const what = h('span', {}, 'Study ', h('span', { class: 'run-id' }, name));
  return renderTop(what, facts, SECTIONS_OF_STUDY, ids);
}

/** The result, before anything else. @param {StudyReport} report @param {Section[]} content */
export function renderStudySummary(report, content) {
  const { study, verdict } = report;
  const { level, headline, lines } = verdict;
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, findings and key figures' },
    h('p', { class: 'question' }, study.question ?? study.title),
    study.status === 'partial' &&
      renderBanner(
        'Partial study.',
        'The figures cover what was measured.',
        study.reasons.map(({ text }) => text),
      ),
    h(
      'div',
      { class: 'answers' },
      renderVerdict({
        level,
        word: LEVEL_WORDS[level],
        headline: headline.text,
        sentences: lines.map(({ text }) => text),
      }),
      renderAside(content.find(({ id }) => id === 'findings')),
    ),
    renderFigureList(listKeyFigures(report)),
  );
}

/** Of the variant with the highest throughput. @param {StudyReport} report */
function listKeyFigures(report) {
  const [best] = report.variants
    .filter(({ saturation, points }) => saturation.throughputPerSec && points.length > 0)
    .toSorted(
      (a, b) =>
        (b.saturation.throughputPerSec?.value ?? 0) - (a.saturation.throughputPerSec?.value ?? 0),
    );
  const point = best && findPlateau(best);
  if (!best || !point) return [];
  const { state, throughputPerSec } = best.saturation;
  const isReached = state === 'reached';
  const at = formatStep(point.step, report);
  const highest = formatThroughput(throughputPerSec?.value ?? null, report);
  return [
    {
      label: isReached ? 'Highest throughput' : 'Highest throughput seen, not saturated',
      value: isReached ? highest : `≥ ${highest}`,
      notes: [`${best.label}, ${isReached ? `from ${at} on` : `at ${at}`}`],
    },
    {
      label: 'Latency p95 there',
      value: formatMs(point.latency?.p95Ms ?? null),
      notes: [`median ${formatMs(point.latency?.p50Ms ?? null)}, at ${at}`],
    },
    {
      label: 'Throughput per busy core',
      value: formatRate(best.plateau.perBusyCore?.value ?? null),
      notes: [describeInterval(best.plateau.perBusyCore, formatRate)],
    },
    {
      label: `CPU of ${nameOfCpu(report)} per transaction`,
      value: formatMs(best.plateau.cpuMsPerTransaction?.value ?? null),
      notes: [describeInterval(best.plateau.cpuMsPerTransaction, formatMs)],
    },
  ].filter(({ value }) => value !== '–');
}

/** @param {Estimate | null} estimate @param {(value: number | null) => string} format */
function describeInterval(estimate, format) {
  const reach = estimate && formatReach(estimate, format);
  return reach ? `${reach}, 95 %` : 'no interval known';
}
