import { formatNumberOf } from '../../format.js';
import { escapeMarkdown, markdownTable } from '../markdown-text.js';
import { thresholdMarkdown } from '../threshold-markdown.js';
import { describeBasis } from './basis-words.js';
import { describeChangeCells, nameOfChange } from './change-words.js';

/** @import { Change, CompareReport } from '../../compare/compare-report.d.ts' */

const SIGNS = { better: '✅', worse: '❌', mixed: '⚠️', none: '➖', unknown: '❔', invalid: '⛔' };
/** A pull request shows the most telling rows; the page has all. */
const MOST_ROWS = 15;

/**
 * A comparison as a comment on a pull request.
 * @param {CompareReport} comparison
 * @returns {string} Markdown
 */
export function renderCompareMarkdown(comparison) {
  const { verdict, warnings, before, after, changes, thresholds } = comparison;
  const used = (/** @type {CompareReport['before']} */ { runs }) =>
    runs.filter(({ isUsed }) => isUsed).length;
  const called = changes.filter(({ call }) => call !== 'none' && call !== 'incomparable');
  const main = changes.filter(({ scope }) => scope === 'overall');
  const others = called.filter(({ scope }) => scope !== 'overall');
  return [
    `### ${SIGNS[verdict.level]} ${escapeMarkdown(verdict.headline)}`,
    '',
    ...verdict.sentences.flatMap(sentence => [escapeMarkdown(sentence), '']),
    ...warnings.map(
      ({ severity, text }) => `- ${severity === 'info' ? 'ℹ️' : '⚠️'} ${escapeMarkdown(text)}`,
    ),
    ...(warnings.length > 0 ? [''] : []),
    ...changeTable(main, comparison),
    ...(others.length > 0
      ? ['', '**Where it changed**', '', ...changeTable(others.slice(0, MOST_ROWS), comparison)]
      : []),
    ...(others.length > MOST_ROWS
      ? ['', `and ${formatNumberOf(others.length - MOST_ROWS, 'more row')} in compare.html`]
      : []),
    ...thresholdMarkdown(thresholds),
    '',
    `<sub>${escapeMarkdown(`${formatNumberOf(used(before), 'run')} of “${before.label}”, ${formatNumberOf(used(after), 'run')} of “${after.label}”. ${describeBasis(comparison)}`)}</sub>`,
    '',
  ].join('\n');
}

/** @param {Change[]} rows @param {CompareReport} comparison */
function changeTable(rows, comparison) {
  if (rows.length === 0) return [];
  const { before, after } = comparison;
  return markdownTable(
    ['', before.label, after.label, 'change', '95 % interval', 'p', ''],
    rows.map(row => {
      const cells = describeChangeCells(row, comparison);
      const of = nameOfChange(row, comparison);
      const label = of ? `${cells.label}: ${of}` : cells.label;
      return [label, cells.before, cells.after, cells.change, cells.interval, cells.p, cells.note];
    }),
  );
}
