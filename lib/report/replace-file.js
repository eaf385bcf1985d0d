import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';

const BATCH_CHARS = 1 << 20;

/**
 * Writes a whole file beside its place and moves it there, so that a reader never sees half of it
 * and a full disk does not cost the report that was there before. Its folder is made.
 * @param {string} file
 * @param {string | Iterable<string>} text the whole, or its pieces
 * @throws {LoadflameError} REPORT_UNWRITABLE
 */
export function replaceFile(file, text) {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writePieces(beside, typeof text === 'string' ? [text] : text);
    renameSync(beside, file);
  } catch (cause) {
    removeQuietly(beside);
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    const folder = path.dirname(file);
    throw new LoadflameError('REPORT_UNWRITABLE', { file, folder, reason }, { cause });
  }
}

/** As many pieces at a time as make a megabyte. @param {string} file @param {Iterable<string>} pieces */
function writePieces(file, pieces) {
  const descriptor = openSync(file, 'w');
  const writeAll = (/** @type {string} */ text) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  try {
    /** @type {string[]} */
    let batch = [];
    let length = 0;
    for (const piece of pieces) {
      batch.push(piece);
      length += piece.length;
      if (length < BATCH_CHARS) continue;
      writeAll(batch.join(''));
      [batch, length] = [[], 0];
    }
    writeAll(batch.join(''));
  } finally {
    closeSync(descriptor);
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
