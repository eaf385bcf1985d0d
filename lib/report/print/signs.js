/** Signs before a line: how bad it is, or the result of a comparison. */

/** @import { Level } from '../../text/document/document.d.ts' */
/** @import { Style } from './terminal-text.js' */

/** For a terminal, with its colour, and for Markdown. @type {Record<Level, [mark: string, style: Style, emoji: string]>} */
export const SIGNS = {
  good: ['✔', 'green', '✅'],
  ok: ['✔', 'green', '✅'],
  better: ['✔', 'green', '✅'],
  info: ['i', 'cyan', 'ℹ️'],
  warn: ['!', 'yellow', '⚠️'],
  mixed: ['!', 'yellow', '⚠️'],
  different: ['?', 'yellow', '⚠️'],
  bad: ['✖', 'red', '❌'],
  worse: ['✖', 'red', '❌'],
  invalid: ['✖', 'red', '⛔'],
  unknown: ['?', 'yellow', '❔'],
  incomparable: ['·', 'dim', '➖'],
  none: ['~', 'dim', '➖'],
};
