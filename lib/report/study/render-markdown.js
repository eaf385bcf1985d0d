import { formatMs, formatNumberOf, formatPercent, formatRate } from '../../format.js';
import { escapeMarkdown, markdownTable } from '../markdown-text.js';
import {
  describeComparison,
  describeIntervals,
  describeLoad,
  findPlateau,
  formatEstimate,
  formatMost,
  formatStep,
  labelVariant,
  listMeasuring,
  nameLimit,
} from './study-words.js';

/** @import { StudyReport } from '../../study/study-report.d.ts' */

const SIGNS = { good: '✅', warn: '⚠️', bad: '❌', invalid: '⛔', unknown: '❔' };
const MOST_COMPARISONS = 20;

/**
 * A study as Markdown: for a wiki, an issue, a pull request.
 * @param {StudyReport} report
 * @returns {string}
 */
export function renderStudyMarkdown(report) {
  const { study, verdict, capacity, findings, scaling } = report;
  return [
    `## ${escapeMarkdown(study.title)}`,
    '',
    `**${SIGNS[verdict.level]} ${escapeMarkdown(verdict.headline)}**`,
    '',
    ...list([...verdict.sentences, ...study.reasons]),
    '',
    ...(capacity
      ? part('Capacity', [escapeMarkdown(capacity.text), ''], capacityTable(report))
      : []),
    ...part(
      'Variants',
      [escapeMarkdown(`${describeLoad(report)} ${describeIntervals(report)}`), ''],
      variantTable(report),
    ),
    ...part(`Throughput over load, ${report.throughputLabel}`, stepTable(report)),
    ...(scaling.length > 0 ? part('Scaling', list(scaling.map(tellScaling))) : []),
    ...(report.comparisons.length > 0 ? part('Comparisons', comparisonTable(report)) : []),
    ...(findings.length > 0
      ? part(
          'Findings',
          list(findings.map(({ title, advice }) => (advice ? `${title} ${advice}` : title))),
        )
      : []),
    ...part(
      'How it was measured',
      list(listMeasuring(report).map(([name, value]) => `${name}: ${value}`)),
    ),
  ].join('\n');
}

/** @param {string} title @param {...string[]} blocks */
const part = (title, ...blocks) => [`### ${escapeMarkdown(title)}`, '', ...blocks.flat(), ''];

/** @param {string[]} texts */
const list = texts => texts.map(text => `- ${escapeMarkdown(text)}`);

/** @param {StudyReport['scaling'][number]} scaling */
const tellScaling = ({ label, text }) => (label ? `${label}: ${text}` : text);

/** @param {StudyReport} report */
function variantTable(report) {
  return markdownTable(
    ['variant', 'most', 'from', 'median', 'p95', 'failed', 'per busy core', 'CPU each', 'limit'],
    report.variants.map(variant => {
      const point = findPlateau(variant);
      return [
        variant.label,
        formatMost(variant),
        formatStep(point?.step ?? null, report),
        formatMs(point?.latency?.p50Ms ?? null),
        formatMs(point?.latency?.p95Ms ?? null),
        formatPercent(point?.errorRate ?? null),
        formatEstimate(point?.perBusyCore, formatRate),
        formatEstimate(point?.cpuMsPerTransaction, formatMs),
        nameLimit(variant.limit, report),
      ];
    }),
  );
}

/** @param {StudyReport} report */
function stepTable(report) {
  const steps = [...new Set(report.variants.flatMap(({ points }) => points.map(p => p.step)))];
  steps.sort((a, b) => a - b);
  return markdownTable(
    ['variant', ...steps.map(step => formatStep(step, report))],
    report.variants.map(({ label, points }) => [
      label,
      ...steps.map(step =>
        formatEstimate(points.find(point => point.step === step)?.throughputPerSec, formatRate),
      ),
    ]),
  );
}

/** @param {StudyReport} report */
function capacityTable(report) {
  const { capacity } = report;
  if (!capacity || capacity.state === 'refused' || capacity.variants.length === 0) return [];
  return markdownTable(
    ['variant', 'capacity', 'usable', 'enough', 'needed'],
    capacity.variants.map(({ variant, capacityPerSec, usablePerSec, enough, needed }) => [
      labelVariant(variant, report),
      formatEstimate(capacityPerSec, formatRate),
      formatRate(usablePerSec),
      enough === null ? '–' : enough ? 'yes' : 'no',
      needed === null ? '–' : String(needed),
    ]),
  );
}

/** @param {StudyReport} report */
function comparisonTable(report) {
  const shown = report.comparisons.slice(0, MOST_COMPARISONS);
  const left = report.comparisons.length - shown.length;
  return [
    ...markdownTable(
      ['measure', 'before', 'after', 'was', 'is', 'change', '95 % interval'],
      shown.map(comparison => {
        const { before, after, change, interval } = describeComparison(comparison);
        const { label, step } = comparison;
        return [
          step === null ? label : `${label} at ${formatStep(step, report)}`,
          labelVariant(comparison.before, report),
          labelVariant(comparison.after, report),
          before,
          after,
          change,
          interval,
        ];
      }),
    ),
    ...(left > 0 ? ['', `and ${formatNumberOf(left, 'more row')} in study.html`] : []),
  ];
}
