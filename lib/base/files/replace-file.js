import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { makeFolder, openNew } from './own-files.js';
import { tryOr } from './try-or.js';

const MOST_HELD_CHARS = 1 << 20;

/**
 * Writes a file beside its place and moves it there, so that a reader never sees half of it and a full disk does not
 * destroy the earlier report. Creates its folder. A link in its place is replaced, not followed.
 * @param {string} file
 * @param {string | Iterable<string>} text all of it, or its pieces
 * @param {object} [options]
 * @param {'REPORT_UNWRITABLE' | 'RUN_FOLDER_UNWRITABLE'} [options.code] of its error
 * @param {boolean} [options.shared] readable as the umask allows: a file that the user asked for. Otherwise only
 *   this user can read it
 * @throws {LoadflameError} with that code; keeps the earlier file
 */
export function replaceFile(file, text, { code = 'REPORT_UNWRITABLE', shared = false } = {}) {
  const beside = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    if (shared) mkdirSync(path.dirname(file), { recursive: true });
    else makeFolder(path.dirname(file));
    const descriptor = openNew(beside, shared ? 0o666 : undefined);
    writePieces(descriptor, typeof text === 'string' ? [text] : text);
    renameSync(beside, file);
  } catch (cause) {
    // It may fail for the same reason as the writing.
    tryOr(null, () => rmSync(beside, { force: true }));
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    const folder = path.dirname(file);
    throw new LoadflameError(code, { file, folder, reason }, { cause });
  }
}

/** Piece by piece, because a profile may have hundreds of MB. @param {number} descriptor closed at the end @param {Iterable<string>} pieces */
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
