/** @import { Paint, Style } from '../print/terminal-text.js' */

/** @type {Record<string, [string, Style]>} */
const SIGNS = {
  good: ['✔', 'green'],
  ok: ['✔', 'green'],
  better: ['✔', 'green'],
  info: ['i', 'cyan'],
  warn: ['!', 'yellow'],
  mixed: ['!', 'yellow'],
  bad: ['✖', 'red'],
  worse: ['✖', 'red'],
  invalid: ['✖', 'red'],
  unknown: ['?', 'yellow'],
  none: ['~', 'dim'],
};

/**
 * What stands before a line: how bad it is, or what a comparison calls it.
 * @param {string} level
 * @param {Paint} paint
 */
export function sign(level, paint) {
  const [mark, style] = SIGNS[level] ?? ['·', 'dim'];
  return `${paint(style, mark)} `;
}
