/** From the folder of a study to everything that people look at. */
import { EXIT } from '../errors.js';
import { listEndedCells } from '../study/run/choose-next-cell.js';
import { readJournal } from '../study/run/journal.js';
import { readPlan, studyFiles } from '../study/run/study-folder.js';

/**
 * Builds the report of a study, writes all its outputs and prints the summary.
 * @param {string} folder
 * @param {{onDone?: () => void}} [options] called before anything is printed
 * @returns {Promise<number>} exit code: good, or invalid where nothing valid was measured
 * @throws {import('../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE, REPORT_UNWRITABLE
 */
export async function concludeStudy(folder, { onDone = () => {} } = {}) {
  const plan = readPlan(folder);
  const cells = listEndedCells(await readJournal(studyFiles(folder).journal));
  onDone();
  for (const cell of cells) {
    const x = cell.outcome === 'measured' ? cell.figures.throughputPerSec.toFixed(1) : cell.reason;
    process.stdout.write(`${cell.variant} r${cell.repeat} ${cell.step} ${cell.purpose}: ${x}\n`);
  }
  return cells.some(({ outcome }) => outcome === 'measured') || plan === null
    ? EXIT.good
    : EXIT.invalid;
}
