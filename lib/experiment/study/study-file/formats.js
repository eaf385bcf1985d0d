/** Formats of texts in a study file: one table for the schema and for its errors. */

import { tryOr } from '../../../base/files/try-or.js';
import { parseLimit } from '../../../base/format.js';
import { parseSeconds } from '../../../load/script/durations.js';

/** @import { Parser } from '../../../base/config/parsers.js' */

/** @param {Parser<unknown>} parser @param {string} value */
export function isAllowed(parser, value) {
  try {
    parser.parse(value);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** No single time in a study exceeds a week. */
const MAX_TIME_SEC = 7 * 86_400;

/**
 * Formats of the schema: the test for a text, and how an error describes it.
 * @type {Record<string, {test: (text: string) => boolean, allowed: string}>}
 */
export const FORMATS = {
  time: {
    test: text => /[a-z]$/.test(text) && (parseSeconds(text) ?? Infinity) <= MAX_TIME_SEC,
    allowed: 'a time with its unit, such as 500ms, 5s or 30m',
  },
  share: {
    test: text => (parseLimit(text, 'share') ?? 2) <= 1,
    allowed: 'a percentage such as 5%',
  },
  rate: {
    test: text => (parseLimit(text, 'perSec') ?? 0) > 0,
    allowed: 'a rate such as 625 or 625/s',
  },
  name: {
    test: text => /^[A-Za-z][\w-]{0,39}$/.test(text),
    allowed: 'a name of up to 40 letters, digits, - and _, with a letter first',
  },
  // Labels become part of folder names.
  label: {
    test: text => /^[A-Za-z0-9][\w.:+% ()-]{0,39}$/.test(text),
    allowed:
      'a label of up to 40 letters, digits, spaces and . : + - _ % ( ), with a letter or a digit first',
  },
  variable: {
    test: text => /^[A-Za-z_]\w*$/.test(text),
    allowed: 'the name of an environment variable',
  },
  command: {
    test: text => text.trim() !== '',
    allowed: 'a line for the shell, such as: redis-server --port $STUDY_PORT',
  },
  regex: {
    test: text => tryOr(text.includes('{{'), () => Boolean(new RegExp(text))),
    allowed: 'a regular expression of JavaScript',
  },
  backlog: {
    test: text => /^[A-Za-z][\w-]*\.\S+$/.test(text),
    allowed: 'a probe and one of its fields, such as tasks.queued',
  },
};
