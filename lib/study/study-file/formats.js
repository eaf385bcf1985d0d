/** Formats of texts in a study file: one table for the schema and for its errors. */
import { parseJsonPath } from '../../files/json-path.js';
import { parseLimit } from '../../format.js';
import { parseSeconds } from '../../record/load/script/durations.js';

/** @import { Parser } from '../../config/parsers.js' */

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

/** @param {string} text */
function isRegex(text) {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return text.includes('{{');
  }
}

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
  regex: { test: isRegex, allowed: 'a regular expression of JavaScript' },
  listSource: {
    test: text => /^(\/(?!\/)|https?:\/\/|file:|text:|\{\{)/.test(text),
    allowed:
      'a path of the target such as /api/v1/content/, an address, file:<path>, or text:<items>',
  },
  listMatch: {
    test: text =>
      text.startsWith('$')
        ? parseJsonPath(text) !== null
        : isRegex(text) && new RegExp(`${text}|`).exec('')?.length !== 1,
    allowed: 'a path such as $.items[*].href, or a regular expression with a group: href="([^"]+)"',
  },
  backlog: {
    test: text => /^[A-Za-z][\w-]*\.\S+$/.test(text),
    allowed: 'a probe and one of its fields, such as tasks.queued',
  },
};
