/** Finds the files that LOG_FILES selects. */
import { accessSync, constants, existsSync, globSync, statSync } from 'node:fs';
import { LoadflameError } from '../../base/errors.js';
import { tryOr } from '../../base/files/try-or.js';

/** A pattern that matches more is probably a mistake. */
export const MOST_FILES = 20;

/**
 * @param {string} text comma-separated paths or patterns; a comma inside `{…}` belongs to a pattern
 * @returns {string[]}
 */
export function splitLogFiles(text) {
  return text
    .split(/,(?![^{]*\})/)
    .map(part => part.trim())
    .filter(Boolean);
}

/**
 * The files that exist now.
 * @param {string[]} patterns
 * @returns {string[]} without duplicates, the last modified first
 */
export function findLogFiles(patterns) {
  const times = new Map(patterns.flatMap(findFiles).map(file => [file, findTime(file) ?? 0]));
  return [...times].sort(([, a], [, b]) => b - a).map(([file]) => file);
}

/**
 * Checks, before the load, that the files are readable.
 * @param {string | null} text LOG_FILES
 * @throws {LoadflameError} LOG_FILE_UNREADABLE if a part matches no file, or an unreadable one
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

/** @param {string} pattern the path of an existing file is no pattern, whatever characters it contains */
function findFiles(pattern) {
  return existsSync(pattern)
    ? [pattern]
    : globSync(pattern)
        .filter(file => findTime(file) !== null)
        .sort();
}

/**
 * Does not report files that it can't read: opening them does, with the reason.
 * @param {string} file
 * @returns {number | null} last modification, epoch ms; 0: unreadable; null: it is no file
 */
function findTime(file) {
  return tryOr(0, () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.mtimeMs : null;
  });
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
