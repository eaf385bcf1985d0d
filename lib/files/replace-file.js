import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { makeFolder, openNew } from './own-files.js';

const MOST_HELD_CHARS = 1 << 20;

/**
 * Writes a whole file beside its place and moves it there, so that a reader never sees half of it
 * and a full disk does not cost the earlier report. Its folder is made. A link in its place is
 * replaced, and not followed.
 * @param {string} file
 * @param {string | Iterable<string>} text the whole, or its pieces
 * @param {object} [options]
 * @param {'REPORT_UNWRITABLE' | 'RUN_FOLDER_UNWRITABLE'} [options.code] of its error
 * @param {boolean} [options.shared] who may read it is the umask's affair: a file that the user asked for at a
 *   place of their own. Else it is for this user alone.
 * @throws {LoadflameError} with that code; the earlier file stays
 */
export function replaceFile(file, text, { code = 'REPORT_UNWRITABLE', shared = false } = {}) {
  const beside = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    if (shared) mkdirSync(path.dirname(file), { recursive: true });
    else makeFolder(path.dirname(file));
    writePieces(
      openNew(beside, shared ? 0o666 : undefined),
      typeof text === 'string' ? [text] : text,
    );
    renameSync(beside, file);
  } catch (cause) {
    removeQuietly(beside);
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    const folder = path.dirname(file);
    throw new LoadflameError(code, { file, folder, reason }, { cause });
  }
}

/** Bit by bit: a profile of hundreds of MB must not take them. @param {number} descriptor is closed @param {Iterable<string>} pieces */
function writePieces(descriptor, pieces) {
  let text = '';
  try {
    for (const piece of pieces) {
      text += piece;
      if (text.length < MOST_HELD_CHARS) continue;
      appendFileSync(descriptor, text);
      text = '';
    }
    appendFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** @param {string} file */
function removeQuietly(file) {
  try {
    rmSync(file, { force: true });
  } catch {
    // what stopped the writing may stop this too; the first reason is the one to report
  }
}
