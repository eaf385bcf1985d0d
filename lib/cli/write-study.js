/** From the folder of a study to everything that people look at. */
import path from 'node:path';
import { EXIT } from '../errors.js';
import { replaceFile } from '../report/replace-file.js';
import { buildStudyReport } from '../study/build-study-report.js';
import { studyFiles } from '../study/run/study-folder.js';

/** @import { StudyReport } from '../study/study-report.d.ts' */

/**
 * Builds the report of a study, writes all its outputs and prints the summary.
 * @param {string} folder
 * @param {{onDone?: () => void}} [options] called before anything is printed
 * @returns {Promise<number>} exit code: good, or invalid where nothing valid was measured
 * @throws {import('../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE, REPORT_UNWRITABLE
 */
export async function concludeStudy(folder, { onDone = () => {} } = {}) {
  const report = await buildStudyReport(folder);
  onDone();
  const files = studyFiles(path.relative('', folder) || '.');
  replaceFile(files.json, `${JSON.stringify(report)}\n`);
  process.stdout.write(`${report.verdict.headline}\n${report.verdict.sentences.join('\n')}\n`);
  return isValid(report) ? EXIT.good : EXIT.invalid;
}

/** @param {StudyReport} report */
function isValid({ cells, verdict }) {
  return verdict.level !== 'invalid' && cells.some(({ outcome }) => outcome === 'measured');
}
