/** Reads files from outside: no folder, no device, no endless pipe, and no more than fits into memory. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseJson } from './parse-json.js';
import { tryOr } from './try-or.js';

/** V8's longest string has 2^29 characters. */
const MOST_BYTES = 400 * 2 ** 20;
/** Real manifests have a few KB, and their texts are written many times. */
export const MOST_MANIFEST_BYTES = 8 * 2 ** 20;

/** @param {string} place @returns {import('node:fs').Stats | null} null if it does not exist or is not readable (a circular link) */
export function statOrNull(place) {
  return tryOr(null, () => statSync(place));
}

/** @param {string} file @param {number} mode from `constants` of `node:fs`: W_OK, X_OK */
export function canAccess(file, mode) {
  return tryOr(false, () => {
    accessSync(file, mode);
    return true;
  });
}

/** @param {string} file */
export function isRegularFile(file) {
  return statOrNull(file)?.isFile() ?? false;
}

/**
 * @param {string} file
 * @returns {{descriptor: number, size: number}} the caller closes it
 * @throws {Error} it is not a regular file, or cannot be read
 */
export function openRegularFile(file) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, size: stat.size };
  closeSync(descriptor);
  throw new Error(stat.isDirectory() ? 'EISDIR: it is a folder' : 'it is no regular file');
}

/**
 * @param {string} file
 * @param {number} [mostBytes]
 * @returns {string} its text, unpacked and without a byte order mark
 * @throws {Error} as `openRegularFile`, and if the file is too large or its gzip data is cut off
 */
export function readRegularFile(file, mostBytes = MOST_BYTES) {
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size <= mostBytes) return decode(readFileSync(descriptor), mostBytes);
  } finally {
    closeSync(descriptor);
  }
  const [mb, most] = [size, mostBytes].map(bytes => Math.round(bytes / 2 ** 20));
  throw new Error(`it has ${mb} MB, and ${most} at most are read`);
}

/** First two bytes of packed text, and of text with a byte order mark. @type {Record<string, string>} */
const MARKS = { '1f8b': 'gzip', efbb: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' };

/** @param {Buffer} bytes @returns {string | null} gzip or an encoding; null for plain UTF-8 */
export const findMark = bytes => MARKS[bytes.toString('hex', 0, 2)] ?? null;

/** First four bytes of files of other packers. @type {Record<string, string>} */
const PACKED = { '504b0304': 'zip', '28b52ffd': 'zstd', '425a6839': 'bzip2', fd377a58: 'xz' };

/** @param {Buffer} bytes @throws {Error} if they are packed, and not with gzip */
export function refusePacked(bytes) {
  const how = PACKED[bytes.toString('hex', 0, 4)];
  if (how) throw new Error(`it is packed with ${how}: unpack it, or pack it with gzip`);
}

/** @param {Buffer} bytes text as other programs write it @param {number} maxOutputLength of it, unpacked */
function decode(bytes, maxOutputLength) {
  refusePacked(bytes);
  const unpacked = findMark(bytes) === 'gzip' ? gunzipSync(bytes, { maxOutputLength }) : bytes;
  const mark = findMark(unpacked) ?? 'utf-8';
  return new TextDecoder(mark === 'gzip' ? 'utf-8' : mark).decode(unpacked);
}

/**
 * @param {string} file
 * @param {number} [mostBytes]
 * @returns {any}
 * @throws {Error} as `readRegularFile`, and if it is no JSON
 */
export function readRegularJson(file, mostBytes) {
  return parseJson(readRegularFile(file, mostBytes));
}
