/** Reads all records of a run folder; files that a recorder never got to write are empty. */
import { existsSync } from 'node:fs';
import { isLoadAtWork } from '../run/active-recording.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { readNdjson } from '../run/ndjson.js';
import { runFiles } from '../run/run-folder.js';
import { SecondStore } from '../run/second-store.js';

/**
 * @typedef {object} RunRecords
 * @property {import('../run/run-folder.js').RunFiles} files
 * @property {import('../run/manifest.js').Manifest} manifest
 * @property {boolean} active the loadflame that owns it is still at work
 * @property {boolean} isLoadAtWork a load test is sending now
 * @property {Record<string, any>[]} events
 * @property {Record<string, any>[]} metrics
 * @property {Record<string, any>[]} errors
 * @property {Record<string, any>[]} tokens
 * @property {Record<string, any>[]} segments
 * @property {Record<string, any>[]} processes
 * @property {Record<string, any>[]} probes
 * @property {number} torn lines that were cut off
 */

/**
 * @param {string} folder
 * @returns {Promise<RunRecords>}
 * @throws {import('../errors.js').LoadflameError} RUN_FOLDER_NOT_ONE
 */
export async function readRun(folder) {
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  const seconds = new SecondStore();
  let torn = 0;
  /** @param {string} file @param {Parameters<typeof readNdjson>[1]} [onRecord] */
  const read = async (file, onRecord) => {
    if (!existsSync(file)) return [];
    const result = await readNdjson(file, onRecord);
    torn += result.torn;
    return result.records;
  };
  // We analyse what we recorded when that has ended, even if its end could not be written.
  const active = isRunActive(manifest) && manifest.pid !== process.pid;
  const events = await read(files.events);
  const records = {
    files,
    manifest,
    active,
    // The owner of a run that can't be joined runs the load itself.
    isLoadAtWork: (active && !manifest.joinable) || isLoadAtWork(events),
    events,
    metrics: await read(files.metrics, record => seconds.shrink(record)),
    errors: await read(files.errors),
    tokens: await read(files.tokens),
    segments: await read(files.segments),
    processes: await read(files.processes),
    probes: await read(files.probes),
  };
  return { ...records, torn };
}
