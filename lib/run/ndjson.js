/** Append-only NDJSON: what recorders write as they go, and how it is read back after any end. */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { LoadflameError } from '../errors.js';
import { appendText } from '../own-files.js';

/**
 * @typedef {object} NdjsonWriter
 * @property {(kind: string, fields?: Record<string, unknown>) => void} append adds one line, stamped
 *   with `t` (now, epoch ms, unless `fields` has one); on disk when it returns
 */

/**
 * Synchronous on purpose: a few lines a second, and a killed process loses at most the line it was in.
 * A full disk must not end the measurement: the first failure is told once, later ones are counted.
 * @param {string} file
 * @param {{onError?: (error: Error) => void, flush?: boolean}} [options] `flush`: each line is on the disk
 *   itself, and not only with the system, before `append` returns
 * @returns {NdjsonWriter}
 */
export function createNdjsonWriter(file, { onError, flush = false } = {}) {
  let failed = false;
  return {
    append(kind, fields = {}) {
      try {
        const line = `${JSON.stringify({ t: Date.now(), kind, ...fields })}\n`;
        appendText(file, line, { flush });
      } catch (error) {
        if (!failed) onError?.(/** @type {Error} */ (error));
        failed = true;
      }
    },
  };
}

/**
 * The lines of a file, one after the other; a missing file has none. Torn ones (the writer was killed) are
 * left out.
 * @param {string} file
 * @param {{onTorn?: () => void, bytes?: number}} [options] `bytes`: no further than this
 * @returns {AsyncGenerator<Record<string, any>>}
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export async function* streamNdjson(file, { onTorn = () => {}, bytes = Infinity } = {}) {
  if (bytes === 0 || !existsSync(file)) return;
  const input = createReadStream(file, { encoding: 'utf8', end: bytes - 1 });
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line === '') continue;
      const record = parseRecord(line);
      if (record) yield record;
      else onTorn();
    }
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('RUN_FILE_UNREADABLE', { file, reason }, { cause });
  }
}

/** @param {string} line @returns {Record<string, any> | null} */
function parseRecord(line) {
  try {
    const record = JSON.parse(line);
    return typeof record?.t === 'number' && typeof record.kind === 'string' ? record : null;
  } catch {
    return null;
  }
}

/**
 * Reads all lines of a file at once.
 * @param {string} file
 * @returns {Promise<{records: Record<string, any>[], torn: number}>}
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export async function readNdjson(file) {
  /** @type {Record<string, any>[]} */
  const records = [];
  let torn = 0;
  for await (const record of streamNdjson(file, { onTorn: () => torn++ })) records.push(record);
  return { records, torn };
}
