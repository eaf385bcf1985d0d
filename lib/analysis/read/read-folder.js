import { GrowingSeries } from './load/growing-series.js';
import { LoadTotals } from './load/load-totals.js';
import { readRun } from './read-run.js';
import { readRunProfile, readRunWaits } from './read-run-profile.js';
import { readTaskWorkers } from './read-task-workers.js';
import { findScope } from './scope.js';

/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { LoadPart } from './load/load-totals.js' */
/** @import { RunRecords } from './read-run.js' */

/**
 * Records that were read, and the profile that is still being read: stacks take longest.
 * @typedef {object} RunFolder
 * @property {RunRecords} records
 * @property {Promise<Profile | null>} reading the profile; null without stacks
 */

/**
 * Everything that an analysis uses, of the whole run or of a part of its load.
 * @typedef {object} RunRead
 * @property {RunRecords} records
 * @property {ReturnType<typeof findScope>} scope
 * @property {import('./load/load-series.js').LoadSeries | null} series null where nothing was measured over time
 * @property {Awaited<ReturnType<typeof readRunWaits>>} waits
 * @property {Awaited<ReturnType<typeof readTaskWorkers>>} taskWorkers
 * @property {RunFolder['reading']} reading
 */

/**
 * Reads all records of a run folder.
 * @param {string} folder
 * @param {Parameters<typeof readRun>[1]} [options]
 * @returns {Promise<RunFolder>}
 * @throws {import('../../base/errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export async function readFolder(folder, options) {
  /** @type {RunFolder['reading']} */
  let reading = Promise.resolve(null);
  const records = await readRun(folder, {
    ...options,
    onSegments(recorded) {
      reading = readRunProfile(recorded);
      reading.catch(() => {}); // The caller that awaits it still gets the error.
    },
  });
  return { records, reading };
}

/**
 * Reads what can be read only when the records show which time all figures cover.
 * @param {RunFolder} folder
 * @param {{part?: LoadPart | null, isProvisional?: boolean}} [options] `isProvisional`: the caller knows that the run goes on
 * @returns {Promise<RunRead>}
 */
export async function readInside({ records: whole, reading }, { part, isProvisional } = {}) {
  const records = { ...whole, load: part ? LoadTotals.ofPart(part) : whole.load, isProvisional };
  const scope = findScope(records);
  return {
    records,
    scope,
    series: scope.window && (await new GrowingSeries().read(records, scope.window)),
    waits: await readRunWaits(records, scope.windows),
    taskWorkers: await readTaskWorkers(records),
    reading,
  };
}
