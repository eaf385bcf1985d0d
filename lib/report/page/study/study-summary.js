import { formatMs, formatRate } from '../../../format.js';
import { findPlateau, formatStep, formatThroughput, nameOfCpu } from '../../study/study-words.js';
import { h, prose } from '../dom.js';
import { renderFindings } from '../findings.js';

/** @import { Estimate } from '../../../analysis/report.d.ts' */
/** @import { StudyReport } from '../../../study/study-report.d.ts' */

const LEVEL_WORDS = {
  good: 'The answer',
  warn: 'The answer, with doubts',
  bad: 'Not enough',
  invalid: 'Not valid',
  unknown: 'No answer',
};

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
      isReached ? `${best.label}, from ${at} on` : `${best.label}, at ${at}`,
    ],
    [
      'p95 of the answers there',
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
  const { value, low, high } = estimate;
  return `± ${format(Math.max(high - value, value - low))} (95 %)`;
}

/** @param {StudyReport['variants'][number]} variant */
function findPlateauRate({ saturation }) {
  return saturation.throughputPerSec?.value ?? null;
}
