/** Prints a report that is written. */
import { existsSync } from 'node:fs';
import { quoteForShell } from '../base/format.js';
import { printTerminal } from '../report/print/terminal.js';
import { describeRun } from '../text/document/run.js';
import { createNamer, describeTerminal, NARROW, Painted } from './io.js';

/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { WordedReport } from '../text/worded-report.d.ts' */
/** @import { Io } from './io.js' */

/**
 * Prints the report in its short or full form, and the path of the page.
 * @param {WordedReport} report
 * @param {RunFiles} files
 * @param {{io: Io, full?: boolean | undefined}} options
 */
export function showReport(report, files, { io, full = false }) {
  const extent = full ? 'full' : 'short';
  const text = printTerminal(describeRun(report), { ...describeTerminal(io, NARROW), extent });
  const more = full ? '' : `\nmore:   loadflame report ${quoteForShell(files.folder)} --full\n`;
  io.stdout.write(new Painted(createNamer(io)(`${text}\n${more}`)));
  if (existsSync(files.reportHtml))
    io.stdout.write(`${full ? '\n' : ''}report: ${files.reportHtml}\n`);
}
