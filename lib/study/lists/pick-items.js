/** Picks the items of a list from a text: by a regular expression or a JSON path. */
import vm from 'node:vm';
import { LoadflameError } from '../../errors.js';
import { findItems, parseJsonPath } from '../../files/json-path.js';
import { unescapeXml } from '../../files/xml-text.js';

/** A regular expression can run forever on a text that it was not made for. */
const MATCH_TIMEOUT_MS = 3000;
const MAX_ITEMS = 100_000;
const MAX_ITEM_CHARS = 8000;

/**
 * @param {{name: string, from: string, match: string}} list
 * @param {{text: string, isHtml: boolean}} source
 * @returns {string[]} each once, in the order of the text
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE
 */
export function pickItems({ name, from, match }, { text, isHtml }) {
  /** @param {string} reason @param {unknown} [cause] */
  const complain = (reason, cause) =>
    new LoadflameError('STUDY_LIST_UNREADABLE', { name, from, reason }, { cause });
  const itemPath = match.startsWith('$') ? parseJsonPath(match) : null;
  let found;
  try {
    found = itemPath ? findItems(JSON.parse(text), itemPath) : findMatches(text, match);
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw complain('it is no JSON', cause);
    throw complain(`${match} takes more than ${MATCH_TIMEOUT_MS / 1000} s`, cause);
  }
  /** @type {Set<string>} */
  const items = new Set();
  for (const value of found) {
    if (typeof value === 'object') throw complain(`${match} leads to lists or maps, not to texts`);
    const item = (isHtml ? unescapeXml(String(value)) : String(value)).trim();
    if (item.length > MAX_ITEM_CHARS) throw complain('an item of it is longer than 8,000 letters');
    if (/\p{Cc}/u.test(item)) throw complain('an item of it holds control characters');
    if (item) items.add(item);
    if (items.size > MAX_ITEMS) throw complain('it has more than 100,000 items');
  }
  return [...items];
}

/**
 * Runs in a context of its own, because that lets Node stop a regular expression that does not end.
 * @param {string} text @param {string} pattern
 * @returns {string[]} first groups
 */
function findMatches(text, pattern) {
  const find = 'Array.from(text.matchAll(new RegExp(pattern, "gm")), match => match[1] ?? "")';
  return Array.from(vm.runInNewContext(find, { text, pattern }, { timeout: MATCH_TIMEOUT_MS }));
}
