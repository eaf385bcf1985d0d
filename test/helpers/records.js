/** @import { RecordFile, RecordOf } from '../../lib/run/facts/records.d.ts' */

/**
 * Records as far as a test says what is in them, for code that takes whole ones.
 * @template {RecordFile} File
 * @param {File} _file
 * @param {readonly object[]} records
 * @returns {RecordOf<File>[]}
 */
export const recordsOf = (_file, records) => /** @type {any[]} */ (records);
