import { escapeMarkdown } from './markdown-text.js';
import { countStates } from './terminal/threshold-lines.js';

/** @import { ThresholdResult } from '../thresholds/threshold.d.ts' */

const SIGNS = { pass: '✅', fail: '❌', uncertain: '❔', unknown: '➖' };

/** @param {ThresholdResult[]} results @returns {string[]} lines; none without thresholds */
export function thresholdMarkdown(results) {
  if (results.length === 0) return [];
  return [
    '',
    `**Thresholds: ${countStates(results)}**`,
    '',
    ...results.map(({ status, text, endpoint, message }) => {
      const of = endpoint === null ? '' : `${escapeMarkdown(endpoint)}: `;
      const doubt = status === 'uncertain' ? 'uncertain: ' : '';
      return `- ${SIGNS[status]} ${of}${escapeMarkdown(text)} (${doubt}${escapeMarkdown(message)})`;
    }),
  ];
}
