import { replaceFile } from '../files/replace-file.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */

/**
 * Writes `report.json`; its shape is `WordedReport`; `npm run check -- --fix` writes it as a JSON Schema.
 * @param {WordedReport} report
 * @param {string} file
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function writeJson(report, file) {
  replaceFile(file, `${JSON.stringify(report)}\n`);
}
