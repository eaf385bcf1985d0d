import { plainLine } from '../../files/plain-text.js';
import { formatMs, formatPercent, formatRate } from '../../format.js';
import { alignColumns, textWidth, wrapText } from '../terminal/text.js';
import { findPlateau, formatEstimate, formatMost, formatStep, listSteps } from './study-words.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */
/** @import { Paint } from '../terminal/text.js' */

/** What stands before a table, and what `alignColumns` keeps for labels. */
const INDENT = 2;
const NO_LABEL = 8;

/**
 * Each variant in a line: the most it serves, from where on, at which latency and cost, and its
 * bottleneck.
 * @param {StudyReport} report
 * @param {number} width
 * @param {Paint} paint
 */
export function variantLines(report, width, paint) {
  const rows = report.variants.map(variant => {
    const point = findPlateau(variant);
    return [
      variant.label,
      formatMost(variant),
      formatStep(point?.step ?? null, report),
      formatMs(point?.latency?.p95Ms ?? null),
      variant.bottleneck.text.name,
      formatEstimate(variant.plateau.perBusyCore, formatRate),
      formatMs(variant.plateau.cpuMsPerTransaction?.value ?? null),
      formatPercent(point?.errorRate ?? null),
    ].map(plainLine);
  });
  return fitTable(
    ['', 'most', 'from', 'p95', 'bottleneck', 'per busy core', 'CPU each', 'failed'],
    rows,
    width,
    paint,
  );
}

/** Throughput of every variant at every step. @param {StudyReport} report @param {number} width @param {Paint} paint */
export function stepLines(report, width, paint) {
  const steps = listSteps(report);
  const rows = report.variants.map(({ label, points }) => [
    plainLine(label),
    ...steps.map(step => {
      const point = points.find(own => own.step === step);
      return formatRate(point?.throughputPerSec.value ?? null);
    }),
  ]);
  return fitTable(['', ...steps.map(step => formatStep(step, report))], rows, width, paint);
}

/**
 * A table that keeps to the width: labels that are too long stand on lines of their own, and columns
 * that still have no room are left out from the right, which is said.
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {number} width
 * @param {Paint} paint
 */
function fitTable(head, rows, width, paint) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map(row => textWidth(row[column] ?? ''))));
  const sumOf = (/** @type {number} */ columns) =>
    widths.slice(1, columns + 1).reduce((sum, own) => sum + own + 2, 0);
  let kept = head.length - 1;
  const isWide = INDENT + (widths[0] ?? 0) + sumOf(kept) <= width;
  while (!isWide && kept > 1 && INDENT + NO_LABEL + sumOf(kept) > width) kept--;
  const cut = (/** @type {string[]} */ row) => row.slice(0, kept + 1);
  const note =
    kept < head.length - 1
      ? wrapText(`also in study.html: ${head.slice(kept + 1).join(', ')}`, width, '  ')
      : [];
  const lines = alignColumns(
    all.map(row => (isWide ? row : ['', ...cut(row).slice(1)])),
    width,
  );
  return [
    ...lines.flatMap((line, index) =>
      index === 0
        ? [paint('dim', line)]
        : [...(isWide ? [] : wrapText(rows[index - 1]?.[0] ?? '', width, '  ')), line],
    ),
    ...note.map(line => paint('dim', line)),
  ];
}
