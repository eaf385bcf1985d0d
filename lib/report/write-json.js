import { replaceFile } from './replace-file.js';

/** @typedef {import('../analysis/report.d.ts').Report} Report */

/**
 * Writes `report.json`; its shape is `lib/analysis/report.schema.json`.
 * @param {Report} report
 * @param {string} file
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function writeJson(report, file) {
  replaceFile(file, `${JSON.stringify(report)}\n`);
}
