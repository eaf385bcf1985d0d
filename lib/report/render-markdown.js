import { formatMs, formatNumberOf, formatPercent, formatRate } from '../format.js';
import { escapeMarkdown, markdownTable, thresholdMarkdown } from './markdown-text.js';

/** @import { WordedThreshold } from '../text/thresholds.js' */
/** @import { WordedReport } from '../text/worded-report.d.ts' */

const SIGNS = { good: '✅', warn: '⚠️', bad: '❌', invalid: '⛔', unknown: '❔' };
const MOST_FINDINGS = 5;
const MOST_CATEGORIES = 6;

/**
 * A run as a comment on a pull request.
 * @param {WordedReport} report
 * @param {WordedThreshold[]} thresholds
 * @returns {string} Markdown
 */
export function renderMarkdown(report, thresholds) {
  const { verdict, findings, run } = report;
  const told = findings.filter(({ severity }) => severity === 'bad' || severity === 'warn');
  return [
    `### ${SIGNS[verdict.level]} ${escapeMarkdown(verdict.text.headline)}`,
    '',
    ...verdict.text.sentences.flatMap(sentence => [escapeMarkdown(sentence), '']),
    ...loadTable(report),
    ...categoryTable(report.profile),
    ...taskWorkers(report),
    ...pods(report),
    ...(told.length > 0 ? ['', '**Findings**', ''] : []),
    ...told.slice(0, MOST_FINDINGS).map(({ text: { title, advice } }) => {
      const then = advice ? ` ${escapeMarkdown(advice)}` : '';
      return `- ${escapeMarkdown(title)}${then}`;
    }),
    ...(told.length > MOST_FINDINGS
      ? [`- and ${formatNumberOf(told.length - MOST_FINDINGS, 'more')} in report.html`]
      : []),
    ...thresholdMarkdown(thresholds),
    '',
    `<sub>${escapeMarkdown(`loadflame, run ${run.id}`)}</sub>`,
    '',
  ].join('\n');
}

/** @param {WordedReport} report */
function loadTable({ load, cpu: use }) {
  if (!load) return [];
  const { http, failures } = load;
  const latency = http.totalTime ?? http.timeToFirstByte;
  const cpu = use?.basis === 'process-cpu' ? use.perRequest : null;
  return markdownTable(
    ['requests', 'throughput', 'median', 'p95', 'p99', 'failed', 'CPU per request'],
    [
      [
        String(http.requests),
        formatRate(http.throughputPerSec),
        formatMs(latency?.p50Ms ?? null),
        formatMs(latency?.p95Ms ?? null),
        formatMs(latency?.p99Ms ?? null),
        formatPercent(failures.share),
        formatMs(cpu?.value ?? null),
      ],
    ],
  );
}

/** @param {WordedReport} report */
function taskWorkers({ taskWorkers }) {
  if (!taskWorkers) return [];
  const { title, sentences } = taskWorkers.text;
  return [
    '',
    `**${escapeMarkdown(title)}**`,
    '',
    sentences.map(escapeMarkdown).join(' '),
    ...categoryTable(taskWorkers),
  ];
}

/** @param {WordedReport} report */
function pods({ cluster }) {
  if (!cluster) return [];
  const { title, sentences, unseen } = cluster.text;
  return [
    '',
    `**${escapeMarkdown(title)}**`,
    '',
    [...sentences, ...unseen].map(escapeMarkdown).join(' '),
  ];
}

/** @param {Pick<NonNullable<WordedReport['profile']>, 'categories'> | null} profile */
function categoryTable(profile) {
  if (!profile || profile.categories.length === 0) return [];
  return [
    '',
    ...markdownTable(
      ['category', 'share of CPU', 'CPU per request'],
      profile.categories
        .slice(0, MOST_CATEGORIES)
        .map(({ label, share, cpuMsPerRequest }) => [
          label,
          formatPercent(share.value),
          formatMs(cpuMsPerRequest?.value ?? null),
        ]),
    ),
  ];
}
