/** Reports of cells: written while nothing is measured. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { runFiles } from '../../run/run-folder.js';
import { listEndedCells } from './choose-next-cell.js';

/**
 * @typedef {object} ReportWriter
 * @property {(run: string) => void} begin writes the report of this run folder
 * @property {() => Promise<void>} wait until none is being written
 */

/**
 * A report that can not be written does not end the study: what was measured is in the journal.
 * @param {object} options
 * @param {(run: string) => Promise<unknown>} options.writeReport
 * @param {(line: string) => void} options.onNote
 * @returns {ReportWriter}
 */
export function createReportWriter({ writeReport, onNote }) {
  let work = Promise.resolve();
  return {
    begin: run => {
      work = work.then(async () => {
        try {
          await writeReport(run);
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          onNote(`the report of ${path.basename(run)} can not be written: ${message}`);
        }
      });
    },
    wait: () => work,
  };
}

/**
 * Cells that were measured and have no report: the attempt was killed between the two.
 * @param {string} folder of the study
 * @param {import('../study-records.d.ts').JournalRecord[]} records
 * @returns {string[]} run folders
 */
export function findUnreported(folder, records) {
  return listEndedCells(records)
    .flatMap(cell => (cell.folder === null ? [] : path.join(folder, cell.folder)))
    .filter(run => existsSync(run) && !existsSync(runFiles(run).reportJson));
}
