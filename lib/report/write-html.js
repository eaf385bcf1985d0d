import { replaceFile } from '../files/replace-file.js';
import { renderHtml } from './render-html.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */

/**
 * Writes `report.html`.
 * @param {WordedReport} report
 * @param {string} file
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function writeHtml(report, file) {
  replaceFile(file, renderHtml(report));
}
