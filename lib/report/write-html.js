import { renderHtml } from './render-html.js';
import { replaceFile } from './replace-file.js';

/** @typedef {import('../analysis/report.d.ts').Report} Report */

/**
 * Writes `report.html`.
 * @param {Report} report
 * @param {string} file
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function writeHtml(report, file) {
  replaceFile(file, renderHtml(report));
}
