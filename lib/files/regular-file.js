/** Files that others may have written: no folder, no device, no pipe without end, and no more than fits into memory. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { parseJson } from './parse-json.js';

/** V8's longest string has 2^29 characters. */
const MOST_BYTES = 400 * 2 ** 20;
/** Of what says what a folder is: real ones have some KB, and their texts are written many times. */
export const MOST_MANIFEST_BYTES = 8 * 2 ** 20;

/** @param {string} place @returns {import('node:fs').Stats | null} null where nothing can be seen, as behind a link to itself */
export function statOrNull(place) {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}

/** May we? @param {string} file @param {number} mode of `node:fs`' constants: W_OK, X_OK */
export function canAccess(file, mode) {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} file */
export function isRegularFile(file) {
  return statOrNull(file)?.isFile() ?? false;
}

/**
 * @param {string} file
 * @returns {{descriptor: number, size: number}} to be closed by the caller
 * @throws {Error} it is not a regular file, or cannot be read
 */
export function openRegularFile(file) {
  // Without O_NONBLOCK a pipe would be waited for.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, size: stat.size };
  closeSync(descriptor);
  throw new Error(stat.isDirectory() ? 'EISDIR: it is a folder' : 'it is no regular file');
}

/**
 * @param {string} file
 * @param {number} [mostBytes]
 * @returns {string} its text
 * @throws {Error} as `openRegularFile`, and of files that are too large
 */
export function readRegularFile(file, mostBytes = MOST_BYTES) {
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size <= mostBytes) return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
  throw new Error(
    `it has ${Math.round(size / 2 ** 20)} MB, and ${mostBytes / 2 ** 20} at most are read`,
  );
}

/**
 * @param {string} file
 * @param {number} [mostBytes]
 * @returns {any}
 * @throws {Error} as `readRegularFile`, and of what is no JSON
 */
export function readRegularJson(file, mostBytes) {
  return parseJson(readRegularFile(file, mostBytes));
}
