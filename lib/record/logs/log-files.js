/** Which files LOG_FILES means. */
import { accessSync, constants, existsSync, globSync, statSync } from 'node:fs';
import { LoadflameError } from '../../errors.js';

/** More than these are hardly meant. */
const MOST_FILES = 20;

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
 * @returns {string[]} without repetition
 */
export function findLogFiles(patterns) {
  return [...new Set(patterns.flatMap(findFiles))].slice(0, MOST_FILES);
}

/**
 * @param {string[]} patterns
 * @throws {LoadflameError} LOG_FILE_UNREADABLE for one that names nothing, or what can't be read
 */
export function checkLogFiles(patterns) {
  for (const pattern of patterns) {
    const files = findFiles(pattern);
    if (files.length === 0) {
      throw new LoadflameError('LOG_FILE_UNREADABLE', { file: pattern, reason: 'no such file' });
    }
    for (const file of files) checkReadable(file);
  }
}

/** @param {string} pattern a path that exists is no pattern, whatever characters it holds */
function findFiles(pattern) {
  return existsSync(pattern) ? [pattern] : globSync(pattern).filter(mayBeFile).sort();
}

/** One that can't be looked at is a matter of whoever opens it, who says why. @param {string} file */
function mayBeFile(file) {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile();
  } catch {
    return true;
  }
}

/** @param {string} file */
function checkReadable(file) {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    const reason = String(/** @type {NodeJS.ErrnoException} */ (cause).code);
    throw new LoadflameError('LOG_FILE_UNREADABLE', { file, reason }, { cause });
  }
  if (!statSync(file).isFile()) {
    throw new LoadflameError('LOG_FILE_UNREADABLE', { file, reason: 'it is not a file' });
  }
}
