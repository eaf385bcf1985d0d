/** Which files LOG_FILES means. */
import { accessSync, constants, existsSync, globSync, statSync } from 'node:fs';
import { LoadflameError } from '../../errors.js';

/** More than these are hardly meant. */
export const MOST_FILES = 20;

/**
 * @param {string} text comma-separated paths or patterns; a comma inside of `{…}` belongs to a pattern
 * @returns {string[]}
 */
export function splitLogFiles(text) {
  return text
    .split(/,(?![^{]*\})/)
    .map(part => part.trim())
    .filter(Boolean);
}

/**
 * The files that there are now.
 * @param {string[]} patterns
 * @returns {string[]} without repetition, the one that was written last first
 */
export function findLogFiles(patterns) {
  const times = new Map(patterns.flatMap(findFiles).map(file => [file, findTime(file) ?? 0]));
  return [...times].sort(([, a], [, b]) => b - a).map(([file]) => file);
}

/**
 * Before anything is sent: can they be read?
 * @param {string | null} text LOG_FILES
 * @throws {LoadflameError} LOG_FILE_UNREADABLE for one that names nothing, or what can't be read
 */
export function checkLogFiles(text) {
  for (const pattern of splitLogFiles(text ?? '')) {
    const files = findFiles(pattern);
    const fault = files.length === 0 ? 'no such file' : null;
    for (const file of files.length === 0 ? [pattern] : files) {
      const reason = fault ?? findFault(file);
      if (reason) throw new LoadflameError('LOG_FILE_UNREADABLE', { file, reason });
    }
  }
}

/** @param {string} pattern a path that exists is no pattern, whatever characters it holds */
function findFiles(pattern) {
  return existsSync(pattern)
    ? [pattern]
    : globSync(pattern)
        .filter(file => findTime(file) !== null)
        .sort();
}

/**
 * One that can't be looked at is a matter of whoever opens it, who says why.
 * @param {string} file
 * @returns {number | null} when it was written last, epoch ms; null: it is no file
 */
function findTime(file) {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.mtimeMs : null;
  } catch {
    return 0;
  }
}

/** @param {string} file @returns {string | null} why it cannot be read */
function findFault(file) {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile() ? null : 'it is not a file';
  } catch (error) {
    return String(/** @type {NodeJS.ErrnoException} */ (error).code);
  }
}
