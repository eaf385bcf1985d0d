import { countStates } from '../../text/thresholds.js';
import { wrapText } from '../print/terminal-text.js';

/** @import { WordedThreshold } from '../../text/thresholds.js' */
/** @import { Paint, Style } from '../print/terminal-text.js' */

/** @type {Record<WordedThreshold['status'], [string, Style, string]>} */
const SIGNS = {
  pass: ['✔', 'green', ''],
  fail: ['✖', 'red', 'failed: '],
  uncertain: ['?', 'yellow', 'uncertain: '],
  unknown: ['–', 'dim', ''],
};

/**
 * @param {WordedThreshold[]} results
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]} none without thresholds
 */
export function thresholdLines(results, width, paint) {
  if (results.length === 0) return [];
  return [
    paint('bold', `Thresholds: ${countStates(results)}`),
    ...results.flatMap(({ status, expression, endpoint, text }) => {
      const [mark, style, word] = SIGNS[status];
      const of = endpoint === null ? '' : `${endpoint}: `;
      return wrapText(`${of}${expression} (${word}${text})`, width, `${paint(style, mark)} `);
    }),
  ];
}
