import {
  formatBytes,
  formatCores,
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../format.js';
import { escapeMarkdown, markdownTable } from '../markdown-text.js';
import {
  describeComparison,
  describeIntervals,
  describeLoad,
  findPlateau,
  formatEstimate,
  formatMost,
  formatSeconds,
  formatStep,
  labelVariant,
  listMeasuring,
  listSpikeRows,
  listSteps,
} from './study-words.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */

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
    `**${SIGNS[verdict.level]} ${escapeMarkdown(verdict.headline.text)}**`,
    '',
    ...list([...verdict.lines, ...study.reasons].map(({ text }) => text)),
    '',
    ...(capacity ? part('Capacity', capacityText(report), capacityTable(report)) : []),
    ...part(
      'Variants',
      [escapeMarkdown(`${describeLoad(report)} ${describeIntervals(report)}`), ''],
      variantTable(report),
    ),
    ...part(`Throughput over load, ${report.throughputLabel}`, stepTable(report)),
    ...(report.load.model === 'burst' ? part('Bursts', drainTable(report)) : []),
    ...(report.load.model === 'spike' ? part('p95 around the spike', spikeTable(report)) : []),
    ...part('Use of the machine at the plateau', useTable(report)),
    ...part(
      'The bottleneck of each variant',
      list(report.variants.map(({ label, bottleneck }) => `${label}: ${bottleneck.text.title}`)),
    ),
    ...(scaling.length > 0 ? part('Scaling', list(scaling.map(withLabel))) : []),
    ...(report.comparisons.length > 0 ? part('Comparisons', comparisonTable(report)) : []),
    ...(findings.length > 0
      ? part(
          'Findings',
          list(
            findings.map(({ text: { title, advice } }) =>
              [title, advice].filter(Boolean).join(' '),
            ),
          ),
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
const withLabel = ({ label, text }) => (label ? `${label}: ${text}` : text);

/** What the headline does not say already. @param {StudyReport} report */
function capacityText({ capacity, verdict }) {
  const texts = [
    capacity?.answer.id === verdict.headline.id ? null : capacity?.answer.text,
    capacity?.demand?.text,
  ].filter(text => typeof text === 'string');
  const lengths = list((capacity?.lengths ?? []).map(({ text }) => text));
  return [
    ...texts.flatMap(text => [escapeMarkdown(text), '']),
    ...(lengths.length > 0 ? [...lengths, ''] : []),
  ];
}

/** @param {StudyReport} report */
function variantTable(report) {
  return markdownTable(
    [
      'variant',
      'most',
      'from',
      'median',
      'p95',
      'failed',
      'per busy core',
      'CPU each',
      'bottleneck',
    ],
    report.variants.map(variant => {
      const point = findPlateau(variant);
      return [
        variant.label,
        formatMost(variant),
        formatStep(point?.step ?? null, report),
        formatMs(point?.latency?.p50Ms ?? null),
        formatMs(point?.latency?.p95Ms ?? null),
        formatPercent(point?.errorRate ?? null),
        formatEstimate(variant.plateau.perBusyCore, formatRate),
        formatEstimate(variant.plateau.cpuMsPerTransaction, formatMs),
        variant.bottleneck.text.name,
      ];
    }),
  );
}

/** Shared memory is divided where it can be read. @param {StudyReport} report */
function useTable(report) {
  return markdownTable(
    ['variant', 'component', 'cores', 'processes', 'memory', 'per process'],
    report.variants.flatMap(variant =>
      (findPlateau(variant)?.components ?? []).map(
        ({ name, cores, processes, rssBytes, pssBytes }) => [
          variant.label,
          report.components.find(one => one.name === name)?.label ?? name,
          formatCores(cores),
          formatCount(processes),
          `${formatBytes(pssBytes ?? rssBytes)}${pssBytes === null ? ' resident' : ''}`,
          processes > 0 ? formatBytes((pssBytes ?? rssBytes) / processes) : '–',
        ],
      ),
    ),
  );
}

/** @param {StudyReport} report */
function stepTable(report) {
  const steps = listSteps(report);
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
function drainTable({ variants }) {
  return markdownTable(
    ['variant', 'at once', 'answered', 'done', 'all done after'],
    variants.flatMap(({ label, drain }) =>
      drain
        ? [
            [
              label,
              formatCount(drain.step),
              formatRate(drain.dispatchPerSec),
              formatEstimate(drain.completionPerSec, formatRate),
              formatSeconds(drain.drainSec),
            ],
          ]
        : [],
    ),
  );
}

/** @param {StudyReport} report */
function spikeTable(report) {
  return markdownTable(
    ['variant', 'spike', 'endpoint', 'before', 'in it', 'after', 'failed in it', ''],
    listSpikeRows(report).map(({ label, step, name, p95Ms, errorRate, remark }) => [
      label,
      formatStep(step, report),
      name,
      formatMs(p95Ms.before),
      formatMs(p95Ms.during),
      formatMs(p95Ms.after),
      formatPercent(errorRate),
      remark,
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
        return [
          comparison.label,
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
