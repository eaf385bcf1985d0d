/** Reads all records of a run folder; files that a recorder never got to write are empty. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../../errors.js';
import { readRegularJson, statOrNull } from '../../files/regular-file.js';
import { isLoadAtWork } from '../../run/active-recording.js';
import { createRecordCheck, findMistake } from '../../run/folder-shapes.js';
import { isRunActive, readManifest } from '../../run/manifest.js';
import { readNdjson, streamNdjson } from '../../run/ndjson.js';
import { runFiles } from '../../run/run-folder.js';
import { LoadTotals } from '../load/load-totals.js';

/** @import { Manifest, RecordFile, RecordOf, RunShapes } from '../../facts/records.d.ts' */

/**
 * @typedef {object} RunRecords
 * @property {import('../../run/run-folder.js').RunFiles} files
 * @property {Manifest} manifest
 * @property {boolean} active the loadflame that owns it is still at work
 * @property {boolean} isLoadAtWork a load test is sending now
 * @property {RecordOf<'events'>[]} events
 * @property {LoadTotals} load what `load/metrics.ndjson` comes down to
 * @property {number} metricsBytes so much of that file was read; a run that goes on adds to it
 * @property {RecordOf<'errors'>[]} errors
 * @property {RunShapes['artillery'] | null} [artillery] the JSON of a load that Artillery sent
 * @property {RecordOf<'tokens'>[]} tokens
 * @property {RecordOf<'segments'>[]} segments
 * @property {RecordOf<'calls'>[]} calls
 * @property {RecordOf<'source'>[]} source
 * @property {RecordOf<'plans'>[]} plans
 * @property {RecordOf<'processes'>[]} processes
 * @property {RecordOf<'probes'>[]} probes
 * @property {RecordOf<'cluster'>[]} cluster
 * @property {number} torn lines that were cut off
 */

/**
 * @param {string} folder
 * @param {{keepsSeconds?: boolean}} [options] of the load, for one of a few minutes
 * @returns {Promise<RunRecords>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export async function readRun(folder, { keepsSeconds = false } = {}) {
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  let torn = 0;
  /** @template {Exclude<RecordFile, 'logs'>} Name @param {Name} name */
  const read = async name => {
    const result = await readRecords(files, manifest, name);
    torn += result.torn;
    return result.records;
  };
  const load = new LoadTotals(keepsSeconds);
  const metricsBytes = statOrNull(files.metrics)?.size ?? 0;
  const metrics = streamMetrics({ files, manifest, metricsBytes }, () => torn++);
  for await (const record of metrics) load.add(record);
  // We analyse what we recorded when that has ended, even if its end could not be written.
  const active = isRunActive(manifest) && manifest.pid !== process.pid;
  const events = await read('events');
  const records = {
    files,
    manifest,
    active,
    // The owner of a run that can't be joined runs the load itself.
    isLoadAtWork: (active && !manifest.joinable) || isLoadAtWork(events),
    events,
    load,
    metricsBytes,
    errors: await read('errors'),
    artillery: existsSync(files.artillery) ? readArtillery(files.artillery) : null,
    tokens: await read('tokens'),
    segments: await read('segments'),
    calls: await read('calls'),
    source: await read('source'),
    plans: await read('plans'),
    processes: await read('processes'),
    probes: await read('probes'),
    cluster: await read('cluster'),
  };
  return { ...records, torn };
}

/**
 * As far as they can be counted on.
 * @template {Exclude<RecordFile, 'logs'>} Name
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {Manifest} manifest
 * @param {Name} name
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export function readRecords(files, { startedAtMs }, name) {
  return readNdjson(files[name], { check: createRecordCheck(name, startedAtMs) });
}

/**
 * What `readRun` made totals of, once more.
 * @param {Pick<RunRecords, 'files' | 'manifest' | 'metricsBytes'>} records
 * @param {() => void} [onTorn]
 */
export function streamMetrics({ files, manifest, metricsBytes: bytes }, onTorn) {
  const check = createRecordCheck('metrics', manifest.startedAtMs);
  return streamNdjson(files.metrics, { bytes, check, onTorn });
}

/**
 * @param {string} file that `artillery run --output` wrote
 * @param {string} [code] of the error where it cannot be read
 * @returns {RunShapes['artillery']}
 */
export function readArtillery(file, code = 'RUN_FILE_UNREADABLE') {
  try {
    const json = readRegularJson(file);
    const mistake = findMistake('artillery', json);
    if (mistake) throw new Error(mistake);
    return json;
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError(code, { file, reason }, { cause });
  }
}
