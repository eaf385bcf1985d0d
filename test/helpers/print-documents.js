import { printMarkdown } from '../../lib/report/print/markdown.js';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { describeComparison } from '../../lib/text/document/comparison.js';
import { describeRun } from '../../lib/text/document/run.js';
import { describeStudy } from '../../lib/text/document/study.js';

/** @import { StudyReport } from '../../lib/text/study-report.d.ts' */
/** @import { WordedComparison } from '../../lib/text/worded-comparison.d.ts' */
/** @import { WordedReport } from '../../lib/text/worded-report.d.ts' */

/**
 * A run as the terminal shows it, in full unless another extent is asked for.
 * @param {WordedReport} report @param {Parameters<typeof printTerminal>[1]} [options]
 */
export function printRun(report, options) {
  return printTerminal(describeRun(report), options);
}

/** A run as a pull request shows it. @param {WordedReport} report */
export function summarizeRun(report) {
  return printMarkdown(describeRun(report), { extent: 'short' });
}

/** @param {StudyReport} report @param {Parameters<typeof printTerminal>[1]} [options] */
export function printStudy(report, options) {
  return printTerminal(describeStudy(report), options);
}

/** A study as Markdown. @param {StudyReport} report */
export function studyToMarkdown(report) {
  return printMarkdown(describeStudy(report));
}

/** @param {WordedComparison} comparison @param {Parameters<typeof printTerminal>[1]} [options] */
export function printComparison(comparison, options) {
  return printTerminal(describeComparison(comparison), options);
}

/** As a pull request shows it. @param {WordedComparison} comparison */
export function summarizeComparison(comparison) {
  return printMarkdown(describeComparison(comparison));
}
