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
  formatStep,
  formatThroughput,
  labelVariant,
  nameOfCpu,
} from '../../study/study-words.js';
import { emptyState, h, prose, section, severityTag } from '../dom.js';
import { renderFindings } from '../findings.js';
import { table } from '../table.js';

/** @import { Estimate } from '../../../analysis/report.d.ts' */
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
const LEVEL_WORDS = {
  good: 'The answer',
  warn: 'The answer, with doubts',
  bad: 'Not enough',
  invalid: 'Not valid',
  unknown: 'No answer',
};

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

/** The answer, before anything else. @param {StudyReport} report */
export function renderStudySummary(report) {
  const { study, verdict } = report;
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, findings and key figures' },
    h('p', { class: 'question' }, study.question ?? study.title),
    study.status === 'partial' &&
      h(
        'div',
        { class: 'banner' },
        h('p', {}, 'The study is not complete: figures are of what was measured.'),
        h(
          'ul',
          {},
          study.reasons.map(reason => h('li', {}, prose(reason))),
        ),
      ),
    h(
      'div',
      { class: 'answers' },
      h(
        'div',
        { class: `verdict verdict-${verdict.level}` },
        h('p', { class: 'level' }, LEVEL_WORDS[verdict.level]),
        h('h1', { class: 'headline' }, prose(verdict.headline)),
        h(
          'ul',
          { class: 'sentences' },
          verdict.sentences.map(sentence => h('li', {}, prose(sentence))),
        ),
      ),
      renderFindings(report),
    ),
    renderKeyFigures(report),
  );
}

/** Of the variant that serves most. @param {StudyReport} report */
function renderKeyFigures(report) {
  const [best] = report.variants
    .filter(({ saturation, points }) => saturation.throughputPerSec && points.length > 0)
    .toSorted((a, b) => (findPlateauRate(b) ?? 0) - (findPlateauRate(a) ?? 0));
  const most = best?.saturation;
  const point = best && findPlateau(best);
  if (!best || !most || !point) return null;
  const isReached = most.state === 'reached';
  const at = formatStep(point.step, report);
  /** @type {[string, string, string][]} */
  const figures = [
    [
      isReached ? 'Most throughput' : 'Most throughput seen, not saturated',
      `${isReached ? '' : '≥ '}${formatThroughput(most.throughputPerSec?.value ?? null, report)}`,
      `${best.label}, from ${at} on`,
    ],
    [
      'p95 there',
      formatMs(point.latency?.p95Ms ?? null),
      `median ${formatMs(point.latency?.p50Ms ?? null)}, at ${at}`,
    ],
    [
      'Throughput per busy core',
      formatRate(point.perBusyCore?.value ?? null),
      sayInterval(point.perBusyCore, formatRate),
    ],
    [
      `CPU of ${nameOfCpu(report)} per transaction`,
      formatMs(point.cpuMsPerTransaction?.value ?? null),
      sayInterval(point.cpuMsPerTransaction, formatMs),
    ],
  ];
  return h(
    'dl',
    { class: 'figures' },
    figures
      .filter(([, value]) => value !== '–')
      .map(([label, value, note]) =>
        h(
          'div',
          {},
          h('dt', {}, label),
          h('dd', {}, h('span', { class: 'value' }, value), h('span', { class: 'note' }, note)),
        ),
      ),
  );
}

/** @param {Estimate | null} estimate @param {(value: number | null) => string} format */
function sayInterval(estimate, format) {
  if (!estimate || estimate.low === null || estimate.high === null) return 'no interval is known';
  return `95 %: ${format(estimate.low)} to ${format(estimate.high)}`;
}

/** @param {StudyReport['variants'][number]} variant */
function findPlateauRate({ saturation }) {
  return saturation.throughputPerSec?.value ?? null;
}

/** For what is needed: which variant, with how much to spare. @param {StudyReport} report */
export function renderCapacity(report) {
  const { capacity } = report;
  if (!capacity) return null;
  if (capacity.state === 'refused') {
    return section(
      'capacity',
      'Capacity',
      emptyState('No figure is given.', ...prose(capacity.text)),
    );
  }
  return section(
    'capacity',
    'Capacity',
    !isSame(capacity.text, report.verdict.headline) &&
      h('p', { class: 'capacity-text' }, prose(capacity.text)),
    capacity.demandText && h('p', { class: 'lede told-first' }, prose(capacity.demandText)),
    capacity.variants.length > 0 &&
      table(
        'What each variant serves within the objective; never extrapolated past what was measured',
        [
          { label: 'Variant' },
          { label: 'Within the objective', number: true, about: 'with half of its 95 % interval' },
          { label: `Usable with ${Math.round(capacity.headroom * 100)} % head-room`, number: true },
          { label: 'Enough' },
          { label: 'Machines needed', number: true },
          { label: '' },
        ],
        capacity.variants.map(
          ({ variant, capacityPerSec, usablePerSec, enough, needed, text }) => ({
            cells: [
              labelVariant(variant, report),
              formatEstimate(capacityPerSec, formatRate),
              h('strong', {}, formatRate(usablePerSec)),
              enough === null ? '–' : severityTag(enough ? 'good' : 'bad', enough ? 'yes' : 'no'),
              needed === null ? '–' : String(needed),
              capacityPerSec === null && h('span', { class: 'muted' }, prose(text)),
            ],
          }),
        ),
      ),
  );
}

/** Two sentences but for their first letter and full stop. @param {string} a @param {string} b */
function isSame(a, b) {
  const bare = (/** @type {string} */ text) => text.toLowerCase().replace(/\.$/, '');
  return bare(a) === bare(b);
}
