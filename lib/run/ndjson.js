/** Append-only NDJSON: what recorders write as they go, and how it is read back after any end. */
import { closeSync, createReadStream, existsSync, readSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError, orThrow } from '../base/errors.js';
import { appendText } from '../base/files/own-files.js';
import { parseOrNull } from '../base/files/parse-json.js';
import { openRegularFile, statOrNull } from '../base/files/regular-file.js';

/** A second of many thousand endpoints has some MB. */
const LONGEST_LINE = 8 * 2 ** 20;
const TORN = '{';

/** A record as it is read, before its shape is known. @typedef {{t: number, kind: string} & Record<string, any>} RawRecord */

/**
 * @typedef {object} NdjsonWriter
 * @property {(kind: string, fields?: Record<string, unknown>) => void} append adds one line, stamped
 *   with `t` (now, epoch ms, unless `fields` has one); on disk when it returns
 */

/**
 * Synchronous on purpose: a few lines a second, and a killed process loses at most the line it was in.
 * A full disk must not end the measurement: the first failure is reported once, later ones are counted.
 * @param {string} file
 * @param {{onError?: (error: Error) => void}} [options]
 * @returns {NdjsonWriter}
 */
export function createNdjsonWriter(file, { onError } = {}) {
  let failed = false;
  return {
    append(kind, fields = {}) {
      try {
        appendText(file, formatLine(kind, fields));
      } catch (error) {
        if (!failed) onError?.(/** @type {Error} */ (error));
        failed = true;
      }
    },
  };
}

/**
 * Continues or begins a file from which a later process resumes: each line is on the disk itself, and not only with
 * the system, before `append` returns.
 * @param {string} file
 * @returns {NdjsonWriter} `append` throws RUN_FOLDER_UNWRITABLE
 */
export function openJournal(file) {
  const add = (/** @type {string} */ text) => {
    const folder = path.dirname(file);
    orThrow('RUN_FOLDER_UNWRITABLE', { folder }, () => appendText(file, text, { flush: true }));
  };
  // A line that a killed process left unfinished must not swallow the next one.
  if (existsSync(file)) add('\n');
  return { append: (kind, fields = {}) => add(formatLine(kind, fields)) };
}

/** @param {string} kind @param {Record<string, unknown>} fields */
const formatLine = (kind, fields) => `${JSON.stringify({ t: Date.now(), kind, ...fields })}\n`;

/**
 * The lines of a file, one after the other; a missing file has none. Torn ones (the writer was killed), and
 * those that are not what they should be, are left out.
 * @template [Known=RawRecord]
 * @param {string} file
 * @param {{onTorn?: () => void, from?: number, bytes?: number, check?: (record: RawRecord) => Known | null}} [options]
 *   `onTorn`: one was left out; `from`: not before this byte, which begins a line; `bytes`: no further than this;
 *   `check`: of `createRecordCheck`
 * @returns {AsyncGenerator<Known>}
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export async function* streamNdjson(
  file,
  { onTorn = () => {}, from = 0, bytes = Infinity, check } = {},
) {
  if (bytes <= from || !existsSync(file)) return;
  try {
    const { descriptor: fd } = openRegularFile(file);
    const input = createReadStream('', { fd, start: from, end: bytes - 1, encoding: 'utf8' });
    for await (const line of splitLines(input)) {
      if (line.trim() === '') continue;
      const record = parseRecord(line);
      const known = record && check ? check(record) : /** @type {Known | null} */ (record);
      if (known) yield known;
      else onTorn();
    }
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('RUN_FILE_UNREADABLE', { file, reason }, { cause });
  }
}

/**
 * Where the last line ends that is whole: a recorder may be in the middle of the next one.
 * @param {string} file
 * @param {number} from bytes; what is before them is known to be whole
 * @returns {number} bytes; `from` where nothing whole follows, and for no file
 */
export function findLinesEnd(file, from) {
  if ((statOrNull(file)?.size ?? 0) <= from) return from;
  const { descriptor, size } = openRegularFile(file);
  const start = Math.max(from, size - LONGEST_LINE);
  const end = Buffer.alloc(size - start);
  const length = readSync(descriptor, end, 0, end.length, start);
  closeSync(descriptor);
  return start + end.lastIndexOf('\n', length - 1) + 1;
}

/** One that is too long is reported as a torn one: to parse what is nested in it takes forty times its length. @param {AsyncIterable<string>} input */
async function* splitLines(input) {
  let line = '';
  for await (const text of input) {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield line.length > LONGEST_LINE ? TORN : line + text.slice(from, end);
      line = '';
      from = end + 1;
    }
    if (line.length <= LONGEST_LINE) line += text.slice(from);
  }
  yield line.length > LONGEST_LINE ? TORN : line;
}

/** @param {string} line @returns {RawRecord | null} */
function parseRecord(line) {
  const record = parseOrNull(line);
  return typeof record?.t === 'number' && typeof record.kind === 'string' ? record : null;
}

/**
 * Reads all lines of a file at once.
 * @template [Known=RawRecord]
 * @param {string} file
 * @param {{check?: (record: RawRecord) => Known | null}} [options]
 * @returns {Promise<{records: Known[], torn: number}>}
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export async function readNdjson(file, options = {}) {
  let torn = 0;
  const records = await Array.fromAsync(streamNdjson(file, { ...options, onTorn: () => torn++ }));
  return { records, torn };
}

/**
 * Those of one kind.
 * @template {{kind: string}} Known
 * @template {Known['kind']} Kind
 * @param {readonly Known[]} records
 * @param {Kind} kind
 */
export function ofKind(records, kind) {
  return records.filter(record => hasKind(record, kind));
}

/**
 * @template {{kind: string}} Known
 * @template {Known['kind']} Kind
 * @param {Known} record
 * @param {Kind} kind
 * @returns {record is Extract<Known, {kind: Kind}>}
 */
export function hasKind(record, kind) {
  return record.kind === kind;
}
