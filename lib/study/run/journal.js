/** The journal of a study: what was done, one line each, on disk before anything else is done. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { LoadflameError } from '../../errors.js';
import { appendText } from '../../files/own-files.js';
import { createRedactor } from '../../files/redaction.js';
import { findMistake } from '../../run/folder-shapes.js';
import { createNdjsonWriter, readNdjson } from '../../run/ndjson.js';

/** @import { Redactor } from '../../files/redaction.js' */
/** @import { JournalRecord } from '../../facts/study-records.d.ts' */

/**
 * A journal that is written: its records, those of this attempt too, and how to add one.
 * @typedef {object} Journal
 * @property {JournalRecord[]} records in the order in which they were written
 * @property {(record: NewRecord) => void} append on disk when it returns; throws RUN_FOLDER_UNWRITABLE
 */

/** @typedef {JournalRecord extends infer R ? R extends {t: number} ? Omit<R, 't'> : never : never} NewRecord */

/**
 * @param {string} file
 * @returns {Promise<JournalRecord[]>} a torn last line (the writer was killed) is none, nor is a cell whose run
 *   lies elsewhere
 */
export async function readJournal(file) {
  const isOurs = (/** @type {Record<string, any>} */ { folder = null }) =>
    folder === null || (typeof folder === 'string' && /^runs\/\w[^/]*$/.test(folder));
  const { records } = await readNdjson(file, {
    isWhole: record => findMistake('journal', record) === null && isOurs(record),
  });
  return /** @type {JournalRecord[]} */ (records);
}

/**
 * Goes on writing a journal, or begins one.
 * @param {string} file
 * @param {Pick<Redactor, 'redactValue'>} [redactor] of the study
 * @returns {Promise<Journal>}
 */
export async function openJournal(file, { redactValue } = createRedactor()) {
  if (!endsWithNewline(file)) appendText(file, '\n');
  const records = await readJournal(file);
  const writer = createNdjsonWriter(file, {
    flush: true,
    onError: cause => {
      const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
      throw new LoadflameError('RUN_FOLDER_UNWRITABLE', { folder: file, reason }, { cause });
    },
  });
  return {
    records,
    append: ({ kind, ...fields }) => {
      const record = /** @type {JournalRecord} */ ({ t: Date.now(), kind, ...redactValue(fields) });
      writer.append(kind, { ...record });
      records.push(record);
    },
  };
}

/** A line that a killed process left unfinished must not swallow the next one. @param {string} file */
function endsWithNewline(file) {
  if (!existsSync(file)) return true;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1);
    return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
  } finally {
    closeSync(descriptor);
  }
}
