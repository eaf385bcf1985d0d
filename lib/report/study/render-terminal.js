import { formatCount } from '../../format.js';
import { findingLines } from '../terminal/bottleneck-lines.js';
import { sign } from '../terminal/sign.js';
import { joinBlocks, makePaint, wrapText } from '../terminal/text.js';
import { describeIntervals, describeLoad, labelVariant, listMeasuring } from './study-words.js';
import { stepLines, variantLines } from './terminal-tables.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */
/** @import { Paint } from '../terminal/text.js' */

/** The page shows them all. */
const MOST_COMPARISONS = 8;

/**
 * A study for a terminal or a pipe, the answer first.
 * @param {StudyReport} report
 * @param {{color?: boolean, width?: number}} [options]
 * @returns {string} lines of at most `width` columns, without a line feed at the end
 */
export function renderStudyTerminal(report, { color = false, width = 80 } = {}) {
  const paint = makePaint(color);
  return joinBlocks([
    verdictLines(report, width, paint),
    capacityLines(report, width, paint),
    tableLines(report, width, paint),
    bottleneckLines(report, width, paint),
    scalingLines(report, width, paint),
    comparisonLines(report, width, paint),
    whyLines(report, width, paint),
    findingLines(report.findings, width, paint),
    measuringLines(report, width, paint),
  ]);
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function verdictLines({ study, verdict }, width, paint) {
  const lines = [
    ...wrapText(study.title, width).map(line => paint('dim', line)),
    ...wrapText(verdict.headline.text, width, sign(verdict.level, paint)).map(line =>
      paint('bold', line),
    ),
    ...verdict.lines.flatMap(({ text }) => wrapText(text, width, '  - ')),
  ];
  if (study.status === 'partial') {
    lines.push(...wrapText('The study is not complete:', width, sign('warn', paint)));
    lines.push(...study.reasons.flatMap(({ text }) => wrapText(text, width, '  - ')));
  }
  return lines;
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function capacityLines(report, width, paint) {
  const { capacity, verdict } = report;
  if (!capacity) return [];
  const isSaid = capacity.answer.id === verdict.headline.id;
  return [
    paint('bold', 'Capacity'),
    ...(isSaid ? [] : wrapText(capacity.answer.text, width, '  ')),
    ...(capacity.demand ? wrapText(capacity.demand.text, width, '  ') : []),
    ...capacity.lengths.flatMap(({ text }) => wrapText(text, width, '  ', '    ')),
    ...capacity.variants.flatMap(({ variant, enough, text }) =>
      wrapText(
        `${labelVariant(variant, report)}: ${text}`,
        width,
        `  ${enough === null ? '' : sign(enough ? 'good' : 'bad', paint)}`,
      ),
    ),
  ];
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function tableLines(report, width, paint) {
  if (report.variants.every(({ points }) => points.length === 0)) return [];
  return [
    ...wrapText(`Throughput, ${report.throughputLabel}`, width).map(line => paint('bold', line)),
    ...wrapText(`${describeLoad(report)} ${describeIntervals(report)}`, width, '  ').map(line =>
      paint('dim', line),
    ),
    ...variantLines(report, width, paint),
    '',
    paint('bold', 'At each step'),
    ...stepLines(report, width, paint),
    ...report.variants.flatMap(({ label, drain }) =>
      drain ? wrapText(`${label}: ${drain.text}`, width, '  ', '    ') : [],
    ),
  ];
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function scalingLines({ scaling }, width, paint) {
  if (scaling.length === 0) return [];
  return [
    ...wrapText(`Scaling over ${scaling[0]?.over}`, width).map(line => paint('bold', line)),
    ...scaling.flatMap(({ label, text }) =>
      wrapText(label ? `${label}: ${text}` : text, width, '  '),
    ),
  ];
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function comparisonLines({ comparisons }, width, paint) {
  const shown = comparisons.slice(0, MOST_COMPARISONS);
  if (shown.length === 0) return [];
  const more = comparisons.length - shown.length;
  return [
    paint('bold', 'Pairs of variants (~: not significant or not tested)'),
    ...shown.flatMap(({ call, text }) => wrapText(text, width, sign(call, paint))),
    ...(more > 0 ? [`  and ${formatCount(more)} more in study.html`] : []),
  ];
}

/** What keeps each variant from giving more. @param {StudyReport} report @param {number} width @param {Paint} paint */
function bottleneckLines({ variants }, width, paint) {
  const known = variants.filter(({ points }) => points.length > 0);
  if (known.length === 0) return [];
  return [
    paint('bold', 'The bottleneck of each variant'),
    ...known.flatMap(({ label, bottleneck }) =>
      wrapText(
        known.length > 1 ? `${label}: ${bottleneck.text.title}` : bottleneck.text.title,
        width - 2,
        '  ',
        '    ',
      ),
    ),
  ];
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function whyLines({ variants }, width, paint) {
  const known = variants.filter(({ why }) => why && why.sentences.length > 0);
  if (known.length === 0) return [];
  return [
    paint('bold', 'Why: what the profile shows at the plateau'),
    ...known.flatMap(({ label, why }) => [
      ...wrapText(label, width, '  '),
      ...(why?.sentences ?? []).flatMap(sentence => wrapText(sentence, width, '    ')),
    ]),
  ];
}

/** @param {StudyReport} report @param {number} width @param {Paint} paint */
function measuringLines(report, width, paint) {
  return [
    paint('bold', 'How it was measured'),
    ...listMeasuring(report).flatMap(([name, value]) =>
      wrapText(value, width, `  ${name.padEnd(11)}`),
    ),
  ];
}
