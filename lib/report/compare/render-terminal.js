import { plainLine } from '../../files/plain-text.js';
import { formatMoment, formatNumberOf } from '../../format.js';
import {
  alignColumns,
  joinBlocks,
  makePaint,
  shortenText,
  wrapText,
} from '../print/terminal-text.js';
import { sign } from '../terminal/sign.js';
import { thresholdLines } from '../terminal/threshold-lines.js';

/** @import { Change, MeasureId } from '../../facts/compare-report.d.ts' */
/** @import { WordedChange, WordedComparison } from '../../text/worded-comparison.d.ts' */
/** @import { Paint, Style } from '../print/terminal-text.js' */

/** @type {Record<string, Style>} */
const CALL_STYLES = { better: 'green', worse: 'red', different: 'yellow' };
/** What is shown of endpoints here; the page has all. @type {MeasureId[]} */
const OF_ENDPOINTS = ['cpuMsPerRequest', 'total.p95Ms', 'timeToFirstByte.p95Ms', 'errorRate'];
const MOST_ROWS = 12;
const LONGEST_HEAD = 16;
/** Below this, names need the place of the spread. */
const WIDE = 100;
const MOST_DIFFERENCES = 8;
const P_COLUMN = 5;

/**
 * A comparison for a terminal or a pipe, the verdict first.
 * @param {WordedComparison} comparison
 * @param {{color?: boolean, width?: number}} [options]
 * @returns {string} without a line feed at the end
 */
export function renderCompareTerminal(comparison, { color = false, width = 100 } = {}) {
  const paint = makePaint(color);
  return joinBlocks([
    verdictLines(comparison, width, paint),
    warningLines(comparison, width, paint),
    sideLines(comparison, width, paint),
    ...changeTables(comparison, width, paint),
    differenceLines(comparison, width, paint),
    thresholdLines(comparison.thresholds, width, paint),
  ]);
}

/** @param {WordedComparison} comparison @param {number} width @param {Paint} paint */
function verdictLines({ verdict }, width, paint) {
  return [
    ...wrapText(
      verdict.text.headline,
      width,
      sign(verdict.spoiled ? 'warn' : verdict.level, paint),
    ).map(line => paint('bold', line)),
    ...verdict.text.sentences.flatMap(sentence => wrapText(sentence, width, '  ')),
  ];
}

/** @param {WordedComparison} comparison @param {number} width @param {Paint} paint */
function warningLines({ warnings }, width, paint) {
  if (warnings.length === 0) return [];
  return [
    paint('bold', 'Caveats:'),
    ...warnings.flatMap(({ severity, text }) => wrapText(text, width, sign(severity, paint))),
  ];
}

/** @param {WordedComparison} comparison @param {number} width @param {Paint} paint */
function sideLines(comparison, width, paint) {
  const sides = [comparison.before, comparison.after].flatMap(({ label, runs }) => {
    const used = runs.filter(({ isUsed }) => isUsed);
    const names = runs.map(({ text }) => text);
    const text = `${label}: ${formatNumberOf(used.length, 'run')} from ${formatMoment(runs[0]?.startedAtMs ?? null)}: ${names.join(', ')}`;
    return wrapText(text, width, '  ', '    ');
  });
  return [
    paint('bold', 'Runs'),
    ...sides,
    ...wrapText(comparison.method, width, '  ').map(line => paint('dim', line)),
  ];
}

/** @param {WordedComparison} comparison @param {number} width @param {Paint} paint @returns {string[][]} */
function changeTables(comparison, width, paint) {
  const { changes, measures } = comparison;
  const ofScope = (/** @type {Change['scope']} */ scope) =>
    changes.filter(change => change.scope === scope);
  const labelOf = (/** @type {MeasureId} */ measure) =>
    measures.find(({ id }) => id === measure)?.label ?? measure;
  const sideText = (/** @type {string} */ text) =>
    width < WIDE ? text.replace(/ ± \d+ %$/, '') : text;
  const sides = [comparison.before, comparison.after].map(({ label }) =>
    shortenText(plainLine(label), LONGEST_HEAD),
  );
  const head = ['', ...sides, 'change', '95 % interval', 'p', ''];
  const overall = withoutFirstByte(ofScope('overall'));
  const tables = [
    tableLines('The whole run', overall, ({ measure }) => labelOf(measure)),
    ...[...Map.groupBy(ofScope('category'), ({ measure }) => measure)].map(([measure, rows]) =>
      tableLines(`${labelOf(measure)}, by category`, rows, ({ text }) => text.name),
    ),
    ...OF_ENDPOINTS.map(measure => {
      const rows = ofScope('endpoint').filter(change => change.measure === measure);
      const isShown =
        measure !== 'timeToFirstByte.p95Ms' || overall.some(row => row.measure === measure);
      return tableLines(
        `${labelOf(measure)}, by endpoint`,
        isShown ? rows : [],
        ({ name }) => name,
      );
    }),
  ];
  return tables;

  /** @param {string} title @param {WordedChange[]} rows @param {(row: WordedChange) => string} name */
  function tableLines(title, rows, name) {
    const telling = rows.filter(isTelling);
    if (telling.length === 0) return [];
    // What is significant comes first; the order is kept among the others.
    const order = telling.toSorted((a, b) => Number(a.call === 'none') - Number(b.call === 'none'));
    const shown = order.slice(0, MOST_ROWS);
    const cells = shown.map(row => {
      const { before, after, change, interval, p, note } = row.text;
      const style = CALL_STYLES[row.call];
      const painted = style ? paint(style, change) : change;
      const values = [before, after].map(sideText);
      return [plainLine(name(row)), ...values, painted, interval, p, note];
    });
    // Without a test there are no p-values.
    const hasP = shown.some(({ text }) => text.p !== '');
    const lines = alignColumns(
      [head, ...cells].map(row => (hasP ? row : row.toSpliced(P_COLUMN, 1))),
      width,
    );
    const left = telling.length - shown.length;
    return [
      paint('bold', title),
      ...lines.map((line, index) => (index === 0 ? paint('dim', line) : line)),
      ...(left > 0 ? [`  and ${formatNumberOf(left, 'more row')} in compare.html`] : []),
    ];
  }
}

/** Errors that no run has are no news. @param {Change} change */
function isTelling({ measure, before, after }) {
  return measure !== 'errorRate' || [...before.values, ...after.values].some(value => value > 0);
}

/** Where total time is known, the terminal leaves out times to the first byte. @param {WordedChange[]} rows */
function withoutFirstByte(rows) {
  const isTotalKnown = rows.some(({ measure }) => measure.startsWith('total.'));
  return rows.filter(({ measure }) => !(isTotalKnown && measure.startsWith('timeToFirstByte.')));
}

/** @param {WordedComparison} comparison @param {number} width @param {Paint} paint */
function differenceLines({ differences }, width, paint) {
  if (differences.length === 0) return [];
  return [
    paint('bold', 'Settings and versions that differ'),
    ...differences
      .slice(0, MOST_DIFFERENCES)
      .flatMap(({ name, before, after }) =>
        wrapText(`${name}: ${before} → ${after}`, width, '  ', '    '),
      ),
    ...(differences.length > MOST_DIFFERENCES
      ? [`  and ${differences.length - MOST_DIFFERENCES} more in compare.html`]
      : []),
  ];
}
