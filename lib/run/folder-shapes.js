/**
 * What is read from the folder of a run or a study against its shape, once, where it is read: a folder may come
 * from someone else, from an older version or from a full disk. `facts/records.d.ts` and `facts/study-records.d.ts` have the shapes.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createCheck, showValue } from '../base/files/check-shape.js';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../base/files/regular-file.js';

/** @import { RecordFile, RecordOf, RunShapes, ValueFile } from './facts/records.d.ts' */
/** @import { FindShapes } from './facts/find.d.ts' */
/** @import { GateShapes } from './facts/gate.d.ts' */
/** @import { HistoryShapes } from './facts/history.d.ts' */
/** @import { StudyShapes } from './facts/study-records.d.ts' */
/** @import { RawRecord } from './ndjson.js' */

/** @typedef {Pick<RunShapes, ValueFile> & StudyShapes & HistoryShapes & GateShapes & FindShapes} Values */

/** What is longer than this has a broken clock: seconds and windows are made of the time between two records. */
export const LONGEST_RUN_MS = 10 * 24 * 3600 * 1000;
/** Of a record, in epoch ms. */
const TIMES = /** @type {const} */ (['t', 'fromMs', 'startMs', 'startedAtMs', 'endMs']);

/** @typedef {{properties: Record<string, Schema>}} Schema as `npm run check -- --fix` makes it, as far as it is read here */

/** Read when the first file is. @type {(Schema & {check: ReturnType<typeof createCheck>}) | null} */
let shapes = null;

/**
 * @template {keyof Values} Name
 * @param {Name} name
 * @param {unknown} value
 * @returns {string | null} what is wrong with it; null: it is a `Values[Name]`
 */
export function findMistake(name, value) {
  const { properties, check } = readShapes();
  return check(/** @type {Schema} */ (properties[name]), value);
}

/**
 * A file that holds one value.
 * @template {keyof Values} Name
 * @param {string} file
 * @param {{name: Name, schema: string}} expected `schema`: what it calls its shape
 * @param {(reason: string, cause?: unknown) => Error} complain makes the error that is thrown
 * @returns {any} a `Values[Name]`, with fields that the check does not know
 */
export function readShaped(file, { name, schema }, complain) {
  let value;
  try {
    value = readRegularJson(file, MOST_MANIFEST_BYTES);
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw complain(code === 'ENOENT' ? `there is no ${path.basename(file)}` : message, cause);
  }
  if (value?.schema !== schema)
    throw complain(`its schema is ${showValue(value?.schema)}, not "${schema}"`);
  const mistake = findMistake(name, value);
  if (mistake) throw complain(`${path.basename(file)}: ${mistake}`);
  return value;
}

/**
 * @template {RecordFile} Name
 * @param {Name} name of a file of records
 * @param {number} [startedAtMs] of its run
 * @returns {(record: RawRecord) => RecordOf<Name> | null} null for one that can't be counted on; kinds that no one
 *   reads may be what they like
 */
export function createRecordCheck(name, startedAtMs) {
  const { properties, check } = readShapes();
  const kinds = properties[name]?.properties ?? {};
  return record => {
    const schema = Object.hasOwn(kinds, record.kind) && kinds[record.kind];
    if (schema && !(isOfRun(record, startedAtMs) && check(schema, record) === null)) return null;
    return /** @type {RecordOf<Name>} */ (/** @type {unknown} */ (record));
  };
}

/** @param {RawRecord} record @param {number | undefined} startedAtMs */
function isOfRun(record, startedAtMs) {
  if (startedAtMs === undefined) return true;
  return TIMES.every(name => {
    const time = record[name];
    return typeof time !== 'number' || Math.abs(time - startedAtMs) <= LONGEST_RUN_MS;
  });
}

/** @returns {NonNullable<typeof shapes>} */
function readShapes() {
  if (shapes) return shapes;
  const text = readFileSync(new URL('./folder-shapes.schema.json', import.meta.url), 'utf8');
  const all = JSON.parse(text.replaceAll('"#/', '"shared#/')).definitions;
  const { FolderShapes: own, ...definitions } = all;
  const made = { ...own, check: createCheck({ shared: { definitions } }) };
  shapes = made;
  return made;
}
