import {
  formatDuration,
  formatMoment,
  formatMs,
  formatNumberOf,
  formatRate,
} from '../../../format.js';
import {
  findPlateau,
  formatEstimate,
  formatReach,
  formatStep,
  formatThroughput,
  labelVariant,
  nameOfCpu,
} from '../../study/study-words.js';
import { bulletList, emptyState, h, muted, prose, section, severityTag } from '../dom.js';
import { renderFindings } from '../findings.js';
import { renderBanner, renderFigureList, renderTop, renderVerdict } from '../overview.js';
import { figure, table } from '../table.js';

/** @import { Estimate } from '../../../facts/estimate.d.ts' */
/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Sections } from '../findings.js' */

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

/** The result, before anything else. @param {StudyReport} report */
export function renderStudySummary(report) {
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
      report.findings.length > 0 && renderFindings(report, SECTION_OF_STUDY_FINDING),
    ),
    renderFigureList(listKeyFigures(report)),
  );
}

/** The section that shows more of a finding. @type {Sections} */
const SECTION_OF_STUDY_FINDING = {
  'cells-lost': 'cells',
  'generator-limit': 'bottlenecks',
  'request-errors': 'cells',
  'dropped-arrivals': 'cells',
  'background-load': 'bottlenecks',
  'generator-beside': 'bottlenecks',
  unfair: 'fairness',
};

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

/** For what is needed: which variant, with how much to spare. @param {StudyReport} report */
export function renderCapacity(report) {
  const { capacity } = report;
  if (!capacity) return null;
  const { state, answer, demand, variants, headroom, lengths } = capacity;
  if (state === 'refused')
    return section('capacity', 'Capacity', emptyState('There is no capacity figure.', answer.text));
  return section(
    'capacity',
    'Capacity',
    answer.id !== report.verdict.headline.id &&
      h('p', { class: 'capacity-text' }, prose(answer.text)),
    demand && h('p', { class: 'lede told-first' }, prose(demand.text)),
    bulletList(
      lengths.map(({ text }) => prose(text)),
      { class: 'told' },
    ),
    variants.length > 0 &&
      table(
        'Capacity of each variant within the objective; never extrapolated past what was measured',
        variants,
        [
          { label: 'Variant', cell: ({ variant }) => labelVariant(variant, report) },
          figure(
            'Within the objective',
            ({ capacityPerSec }) => formatEstimate(capacityPerSec, formatRate),
            'with half of its 95 % interval',
          ),
          figure(`Usable with ${Math.round(headroom * 100)} % headroom`, ({ usablePerSec }) =>
            h('strong', {}, formatRate(usablePerSec)),
          ),
          {
            label: 'Enough',
            cell: ({ enough }) =>
              enough === null ? '–' : severityTag(enough ? 'good' : 'bad', enough ? 'yes' : 'no'),
          },
          figure('Machines needed', ({ needed }) => (needed === null ? '–' : String(needed))),
          { label: '', cell: own => own.capacityPerSec === null && muted(prose(own.text)) },
        ],
      ),
  );
}
