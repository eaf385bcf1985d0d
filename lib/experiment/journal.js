/** The journal of an experiment: what it measured, line by line, and who is at work on it. A killed one resumes. */
import { isSameProcess, readStartTicks } from '../base/process/process-table.js';
import { describeVersions } from '../run/host.js';
import { openJournal as continueFile, readNdjson } from '../run/ndjson.js';

/** @import { RawRecord } from '../run/ndjson.js' */

/** Kinds of records with which an attempt ends. */
const ENDS = ['end', 'study-end'];

/**
 * @template {{t: number, kind: string}} [Known=RawRecord]
 * @typedef {object} Journal
 * @property {Known[]} records in the order in which they were written, with those of this attempt
 * @property {(record: {kind: Known['kind']} & Record<string, any>) => void} append on disk when it returns; throws RUN_FOLDER_UNWRITABLE
 */

/**
 * Continues a journal, or starts one.
 * @template {{t: number, kind: string}} [Known=RawRecord]
 * @param {string} file
 * @param {{check?: (record: RawRecord) => Known | null, redactValue?: <T>(value: T) => T}} [options]
 * @returns {Promise<Journal<Known>>} without a torn last line: the writer was killed
 */
export async function openJournal(file, { check, redactValue = value => value } = {}) {
  const writer = continueFile(file);
  const { records } = await readNdjson(file, { check });
  return {
    records,
    append: ({ kind, ...fields }) => {
      const record = { t: Date.now(), kind, ...redactValue(fields) };
      writer.append(kind, record);
      records.push(/** @type {Known} */ (/** @type {unknown} */ (record)));
    },
  };
}

/** What an attempt begins with. */
export function describeAttempt() {
  const [kind, { pid }] = [/** @type {const} */ ('attempt'), process];
  const version = describeVersions().loadflame ?? '';
  return { kind, pid, pidStartTicks: readStartTicks(pid), version };
}

/**
 * The process that measures: of the first attempt that is alive and has not ended. A process has one at a time.
 * @param {readonly ({kind: string} & Record<string, any>)[]} records
 * @returns {number | null} its pid
 */
export function findOwner(records) {
  const owner = records.find(
    ({ kind, pid, pidStartTicks }, at) =>
      kind === 'attempt' &&
      isSameProcess(pid, pidStartTicks) &&
      !records.slice(at + 1).some(end => ENDS.includes(end.kind) && end.pid === pid),
  );
  return owner?.pid ?? null;
}
