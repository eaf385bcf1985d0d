/** Reads all records of a run folder; files that a recorder never got to write are empty. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { LoadflameError } from '../errors.js';
import { isLoadAtWork } from '../run/active-recording.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { readNdjson, streamNdjson } from '../run/ndjson.js';
import { runFiles } from '../run/run-folder.js';
import { LoadTotals } from './load/load-totals.js';

/**
 * @typedef {object} RunRecords
 * @property {import('../run/run-folder.js').RunFiles} files
 * @property {import('../run/manifest.js').Manifest} manifest
 * @property {boolean} active the loadflame that owns it is still at work
 * @property {boolean} isLoadAtWork a load test is sending now
 * @property {Record<string, any>[]} events
 * @property {LoadTotals} load what `load/metrics.ndjson` comes down to
 * @property {number} metricsBytes so much of that file was read; a run that goes on adds to it
 * @property {Record<string, any>[]} errors
 * @property {Record<string, any> | null} [artillery] the JSON of a load that Artillery sent
 * @property {Record<string, any>[]} tokens
 * @property {Record<string, any>[]} segments
 * @property {Record<string, any>[]} calls
 * @property {Record<string, any>[]} processes
 * @property {Record<string, any>[]} probes
 * @property {number} torn lines that were cut off
 */

/**
 * @param {string} folder
 * @returns {Promise<RunRecords>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export async function readRun(folder) {
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  let torn = 0;
  /** @param {string} file */
  const read = async file => {
    const result = await readNdjson(file);
    torn += result.torn;
    return result.records;
  };
  const load = new LoadTotals();
  const metricsBytes = statSync(files.metrics, { throwIfNoEntry: false })?.size ?? 0;
  const metrics = streamNdjson(files.metrics, { bytes: metricsBytes, onTorn: () => torn++ });
  for await (const record of metrics) load.add(record);
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
    load,
    metricsBytes,
    errors: await read(files.errors),
    artillery: existsSync(files.artillery) ? readArtillery(files.artillery) : null,
    tokens: await read(files.tokens),
    segments: await read(files.segments),
    calls: await read(files.calls),
    processes: await read(files.processes),
    probes: await read(files.probes),
  };
  return { ...records, torn };
}

/** @param {string} file @returns {Record<string, any>} */
function readArtillery(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('RUN_FILE_UNREADABLE', { file, reason }, { cause });
  }
}
