/** Writes all outputs of a study folder. */
import path from 'node:path';
import { replaceFile } from '../base/files/replace-file.js';
import { buildStudyReport } from '../experiment/study/report.js';
import { studyFiles } from '../experiment/study/run/study-folder.js';
import { printMarkdown } from '../report/print/markdown.js';
import { printTerminal } from '../report/print/terminal.js';
import { renderStudyCsv } from '../report/study/render-csv.js';
import { renderStudyHtml } from '../report/study/render-html.js';
import { describeStudy } from '../text/document/study.js';
import { wordStudyReport } from '../text/study.js';
import { createNamer, printWide } from './io.js';

/** @import { Ending } from './exit-code.js' */
/** @import { Io } from './io.js' */

/**
 * Builds the report of a study, writes all its outputs and prints the summary.
 * @param {string} folder
 * @param {{io: Io, onDone?: () => void}} options `onDone` is called before anything is printed
 * @returns {Promise<Ending>} invalid if nothing valid was measured
 * @throws {import('../base/errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE, REPORT_UNWRITABLE (the summary
 *   is printed then)
 */
export async function concludeStudy(folder, { io, onDone = () => {} }) {
  const report = wordStudyReport(await buildStudyReport(folder));
  const files = studyFiles(path.relative('', folder) || '.');
  onDone();
  const named = createNamer(io);
  const content = describeStudy(report);
  printWide(io, terminal => printTerminal(content, terminal));
  replaceFile(files.json, `${JSON.stringify(report)}\n`);
  replaceFile(files.html, renderStudyHtml(report, named));
  replaceFile(files.csv, renderStudyCsv(report));
  replaceFile(files.markdown, named(printMarkdown(content)));
  io.stdout.write(`\nreport: ${files.html}\n`);
  const isMeasured = report.cells.some(({ outcome }) => outcome === 'measured');
  return { invalid: report.verdict.level === 'invalid' || !isMeasured };
}
