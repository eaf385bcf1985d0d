import { readManifest } from '../../run/manifest.js';
import { ofKind } from '../../run/ndjson.js';
import { runFiles } from '../../run/run-folder.js';
import { readRecords, readRun } from './read-run.js';
import { readRunProfile } from './read-run-profile.js';

/** @import { Profile } from '../../profile/profile.d.ts' */
/** @import { RunRecords } from './read-run.js' */

/**
 * Records that were read, and the profile that is still being read: stacks take longest.
 * @typedef {object} RunFolder
 * @property {RunRecords} records
 * @property {Promise<Profile | null>} reading the profile; null without stacks
 */

/**
 * First stage of an analysis: all records of a run folder.
 * @param {string} folder
 * @param {Parameters<typeof readRun>[1]} [options]
 * @returns {Promise<RunFolder>}
 * @throws {import('../../errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export async function readFolder(folder, options) {
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  // The profile starts to load here, and the load is summed up meanwhile.
  const reading = readRecords(files, manifest, 'segments').then(({ records: segments }) =>
    readRunProfile({ files, segments, manifest }),
  );
  reading.catch(() => {}); // The caller that awaits it still gets the error.
  return { records: withoutHost(await readRun(folder, options)), reading };
}

/** A recording in pods says nothing about the machine that recorded itself meanwhile. @param {RunRecords} records */
export function withoutHost(records) {
  const isOfPods = ofKind(records.segments, 'recording-start').some(({ pods }) => pods);
  if (!isOfPods) return records;
  return { ...records, processes: records.processes.filter(({ kind }) => kind !== 'host') };
}
