/** Pieces of GitHub-flavoured Markdown. Text from outside stays text: no link, mention, image or HTML. */

import { plainLine } from '../../base/files/plain-text.js';

/** Invisible; breaks patterns that GitHub and GitLab would find in the finished text. */
const ZERO_WIDTH_SPACE = '\u200b';
/** Seven or more digits of a commit's hash. */
const COMMIT = /(?<![a-z0-9])[0-9a-f]{7,64}(?![a-z0-9])/gi;

/**
 * One line of text. Text between backticks stays code, as our own sentences mean it.
 * @param {string} text @param {boolean} [isCell] of a table, which a `|` would end, also in code
 */
export function escapeMarkdown(text, isCell = false) {
  return (
    plainLine(text)
      .split(/((?<!`)`[^`]+`(?!`))/)
      .map((part, index) => (index % 2 ? endNoCell(part, isCell) : escapeText(part)))
      .join('')
      // starts of a list, a quotation or a heading
      .replace(/^(?:[-+>=](?=\W|$)|#)/, '\\$&')
      .replace(/^\d+(?=[.)](?:\s|$))/, '$&\\')
  );
}

/** @param {string} code @param {boolean} isCell */
const endNoCell = (code, isCell) => (isCell ? code.replace(/(?<!\\)\\*\|/g, '\\|') : code);

/** @param {string} text */
function escapeText(text) {
  return (
    text
      .replace(/[\\`*[\]|$]/g, '\\$&')
      // only where they are markup: a lone `~` and the `_` in a name are not
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

/** Text from outside as code: a name, a path, an expression. @param {string} text @param {boolean} [isCell] */
export function codeSpan(text, isCell = false) {
  const line = plainLine(text);
  if (line === '') return '';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return endNoCell(`${fence}${pad}${line}${pad}${fence}`, isCell);
}
