/** From the folder of a study to everything that people look at. */
import path from 'node:path';
import { EXIT } from '../errors.js';
import { replaceFile } from '../report/replace-file.js';
import { renderStudyCsv } from '../report/study/render-csv.js';
import { renderStudyHtml } from '../report/study/render-html.js';
import { renderStudyMarkdown } from '../report/study/render-markdown.js';
import { renderStudyTerminal } from '../report/study/render-terminal.js';
import { buildStudyReport } from '../study/build-study-report.js';
import { studyFiles } from '../study/run/study-folder.js';

/** @import { StudyReport } from '../study/study-report.d.ts' */

/**
 * Builds the report of a study, writes all its outputs and prints the summary.
 * @param {string} folder
 * @param {{onDone?: () => void}} [options] called before anything is printed
 * @returns {Promise<number>} exit code: good, or invalid where nothing valid was measured
 * @throws {import('../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE, REPORT_UNWRITABLE (the summary
 *   is printed then)
 */
export async function concludeStudy(folder, { onDone = () => {} } = {}) {
  const report = await buildStudyReport(folder);
  const files = studyFiles(path.relative('', folder) || '.');
  onDone();
  showSummary(report);
  replaceFile(files.json, `${JSON.stringify(report)}\n`);
  replaceFile(files.html, renderStudyHtml(report));
  replaceFile(files.csv, renderStudyCsv(report));
  replaceFile(files.markdown, renderStudyMarkdown(report));
  process.stdout.write(`\nreport: ${files.html}\n`);
  return isValid(report) ? EXIT.good : EXIT.invalid;
}

/** @param {StudyReport} report */
function showSummary(report) {
  const { stdout } = process;
  const color = Boolean(stdout.isTTY) && !process.env.NO_COLOR;
  // A terminal that does not know its size says 0; the tables of a study are wide.
  const width = Math.min(stdout.columns || 110, 140);
  stdout.write(`\n${renderStudyTerminal(report, { color, width })}\n`);
}

/** @param {StudyReport} report */
function isValid({ cells, verdict }) {
  return verdict.level !== 'invalid' && cells.some(({ outcome }) => outcome === 'measured');
}
