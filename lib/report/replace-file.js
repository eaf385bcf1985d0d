import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';

/**
 * Writes a whole file beside its place and moves it there, so that a reader never sees half of it
 * and a full disk does not cost the report that was there before. Its folder is made.
 * @param {string} file
 * @param {string} text
 * @throws {LoadflameError} REPORT_UNWRITABLE
 */
export function replaceFile(file, text) {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(beside, text);
    renameSync(beside, file);
  } catch (cause) {
    removeQuietly(beside);
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    const folder = path.dirname(file);
    throw new LoadflameError('REPORT_UNWRITABLE', { file, folder, reason }, { cause });
  }
}

/** @param {string} file */
function removeQuietly(file) {
  try {
    rmSync(file, { force: true });
  } catch {
    // what stopped the writing may stop this too; the first reason is the one to tell
  }
}
