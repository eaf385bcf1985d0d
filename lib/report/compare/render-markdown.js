import { formatNumberOf } from '../../format.js';
import { countStates } from '../../text/thresholds.js';
import { codeSpan, escapeMarkdown, markdownTable } from '../print/markdown-text.js';

/** @import { WordedChange, WordedComparison, WordedSide } from '../../text/worded-comparison.d.ts' */

const SIGNS = { better: '✅', worse: '❌', mixed: '⚠️', none: '➖', unknown: '❔', invalid: '⛔' };
/** A pull request shows the most telling rows; the page has all. */
const MOST_ROWS = 15;

/**
 * A comparison as a comment on a pull request.
 * @param {WordedComparison} comparison
 * @returns {string} Markdown
 */
export function renderCompareMarkdown(comparison) {
  const { verdict, warnings, before, after, changes, thresholds } = comparison;
  const { headline, sentences } = verdict.text;
  const called = changes.filter(({ call }) => call !== 'none' && call !== 'incomparable');
  const main = changes.filter(({ scope }) => scope === 'overall');
  const others = called.filter(({ scope }) => scope !== 'overall');
  return [
    `### ${verdict.spoiled ? '⚠️' : SIGNS[verdict.level]} ${escapeMarkdown(headline)}`,
    '',
    ...sentences.flatMap(sentence => [escapeMarkdown(sentence), '']),
    ...(warnings.length > 0 ? ['**Caveats**', ''] : []),
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
    ...[before, after].flatMap(side => [`<sub>${listRuns(side)}</sub>`, '']),
    `<sub>${escapeMarkdown(comparison.method)}</sub>`,
    '',
  ].join('\n');
}

/** @param {WordedSide} side */
function listRuns({ label, runs }) {
  const used = runs.filter(({ isUsed }) => isUsed);
  const places = runs.map(({ text }) => codeSpan(text));
  return `${escapeMarkdown(label)}, ${formatNumberOf(used.length, 'run')}: ${places.join(', ')}`;
}

/** @param {WordedChange[]} rows @param {WordedComparison} comparison */
function changeTable(rows, comparison) {
  if (rows.length === 0) return [];
  const { before, after } = comparison;
  return markdownTable(
    ['', before.label, after.label, 'change', '95 % interval', 'p', ''],
    rows.map(({ text: { measure, name, ...cells } }) => {
      const label = name ? `${measure}: ${name}` : measure;
      return [label, cells.before, cells.after, cells.change, cells.interval, cells.p, cells.note];
    }),
  );
}

const STATES = { pass: '✅', fail: '❌', uncertain: '❔', unknown: '➖' };

/** @param {WordedComparison['thresholds']} results @returns {string[]} lines; none without thresholds */
function thresholdMarkdown(results) {
  if (results.length === 0) return [];
  return [
    '',
    `**Thresholds: ${countStates(results)}**`,
    '',
    ...results.map(({ status, expression, endpoint, text }) => {
      const of = endpoint === null ? '' : `${codeSpan(endpoint)}: `;
      const doubt = status === 'uncertain' ? 'uncertain: ' : '';
      return `- ${STATES[status]} ${of}${codeSpan(expression)} (${doubt}${escapeMarkdown(text)})`;
    }),
  ];
}
