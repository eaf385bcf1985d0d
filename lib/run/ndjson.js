/** Append-only NDJSON: what recorders write as they go, and how it is read back after any end. */
import { appendFileSync, createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

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
        appendFileSync(file, line, { flush });
      } catch (error) {
        if (!failed) onError?.(/** @type {Error} */ (error));
        failed = true;
      }
    },
  };
}

/**
 * Reads the lines of a file; a missing file has none. Torn lines (the writer was killed) are skipped
 * and counted.
 * @param {string} file
 * @param {(record: Record<string, any>) => void} [onRecord] may change it before it is kept
 * @returns {Promise<{records: Record<string, any>[], torn: number}>}
 */
export async function readNdjson(file, onRecord) {
  /** @type {Record<string, any>[]} */
  const records = [];
  let torn = 0;
  if (!existsSync(file)) return { records, torn };
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) {
    if (line === '') continue;
    try {
      const record = JSON.parse(line);
      if (typeof record?.t !== 'number' || typeof record.kind !== 'string') torn++;
      else {
        onRecord?.(record);
        records.push(record);
      }
    } catch {
      torn++;
    }
  }
  return { records, torn };
}
