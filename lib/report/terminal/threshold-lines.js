import { plainLine } from '../plain-text.js';
import { wrapText } from './text.js';

/** @import { ThresholdResult } from '../../thresholds/threshold.d.ts' */
/** @import { Paint, Style } from './text.js' */

/** @type {Record<ThresholdResult['status'], [string, Style, string]>} */
const SIGNS = {
  pass: ['✔', 'green', ''],
  fail: ['✖', 'red', 'failed: '],
  uncertain: ['?', 'yellow', 'uncertain: '],
  unknown: ['–', 'dim', ''],
};

/**
 * @param {ThresholdResult[]} results
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]} none without thresholds
 */
export function thresholdLines(results, width, paint) {
  if (results.length === 0) return [];
  return [
    paint('bold', `Thresholds: ${countStates(results)}`),
    ...results.flatMap(({ status, text, endpoint, message }) => {
      const [mark, style, word] = SIGNS[status];
      const of = endpoint === null ? '' : `${endpoint}: `;
      return wrapText(
        plainLine(`${of}${text} (${word}${message})`),
        width,
        `${paint(style, mark)} `,
        '  ',
      );
    }),
  ];
}

/** "3 passed, 1 failed" @param {ThresholdResult[]} results */
export function countStates(results) {
  const words = { pass: 'passed', fail: 'failed', uncertain: 'uncertain', unknown: 'not known' };
  return Object.entries(words)
    .map(([status, word]) => ({
      word,
      count: results.filter(result => result.status === status).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(', ');
}
