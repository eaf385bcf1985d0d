/** Pieces of GitHub-flavoured Markdown. Text from outside stays text: no link, mention, image or HTML. */

import { plainLine } from '../files/plain-text.js';
import { countStates } from '../text/thresholds.js';

/** @import { WordedThreshold } from '../text/thresholds.js' */

/** Not shown, and parts what GitHub and GitLab would find in the finished text. */
const ZERO_WIDTH_SPACE = '\u200b';
/** Seven digits and more of its hash. */
const COMMIT = /(?<![a-z0-9])[0-9a-f]{7,64}(?![a-z0-9])/gi;

/**
 * One line of text. What stands in a pair of backticks stays code, as our own sentences mean it.
 * @param {string} text
 */
export function escapeMarkdown(text) {
  return escapeParts(text, code => code);
}

/** In code, too, a `|` would end the cell. @param {string} text */
function escapeCell(text) {
  return escapeParts(text, code => code.replace(/\\*\|/g, '\\|'));
}

/** @param {string} text @param {(code: string) => string} escapeCode */
function escapeParts(text, escapeCode) {
  return (
    plainLine(text)
      .split(/((?<!`)`[^`]+`(?!`))/)
      .map((part, index) => (index % 2 ? escapeCode(part) : escapeText(part)))
      .join('')
      // what begins a list, a quotation or a heading
      .replace(/^(?:[-+>=](?=\W|$)|#)/, '\\$&')
      .replace(/^\d+(?=[.)](?:\s|$))/, '$&\\')
  );
}

/** @param {string} text */
function escapeText(text) {
  return (
    text
      .replace(/[\\`*[\]|$]/g, '\\$&')
      // only where they would be signs: a lone `~` and the `_` in a name are not
      .replace(/<(?=[a-z/!?])|&(?=#?\w+;)|~(?=\S)|(?<=\S)~/gi, '\\$&')
      .replace(/(?<![a-z0-9])_|_(?![a-z0-9])/gi, '\\_')
      // addresses, `@name`, `#12`, `!12`, `~label`, `GH-12`
      .replace(
        /:(?=\/\/)|[wW]{3}(?=\.)|@(?=\w)|[#!%&$^](?=\d)|[~%](?=["\w])|\b[A-Z]{2,}-(?=\d)/g,
        `$&${ZERO_WIDTH_SPACE}`,
      )
      .replace(COMMIT, hash => hash.replace(/.{6}(?=.)/g, `$&${ZERO_WIDTH_SPACE}`))
  );
}

/** Text from outside as code: a name, a path, an expression. @param {string} text */
export function codeSpan(text) {
  const line = plainLine(text);
  if (line === '') return '';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/**
 * A table of text; cells are escaped.
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string[]} lines
 */
export function markdownTable(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`,
    ...rows.map(line),
  ];
}

const SIGNS = { pass: '✅', fail: '❌', uncertain: '❔', unknown: '➖' };

/** @param {WordedThreshold[]} results @returns {string[]} lines; none without thresholds */
export function thresholdMarkdown(results) {
  if (results.length === 0) return [];
  return [
    '',
    `**Thresholds: ${countStates(results)}**`,
    '',
    ...results.map(({ status, expression, endpoint, text }) => {
      const of = endpoint === null ? '' : `${codeSpan(endpoint)}: `;
      const doubt = status === 'uncertain' ? 'uncertain: ' : '';
      return `- ${SIGNS[status]} ${of}${codeSpan(expression)} (${doubt}${escapeMarkdown(text)})`;
    }),
  ];
}
